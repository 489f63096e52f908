#include "hotrow/app/config.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace hotrow {
namespace {

using std::chrono::milliseconds;

Environment variables(SettingTexts texts) {
  return [texts = std::move(texts)](const std::string& name) -> std::optional<std::string> {
    const auto found = texts.find(name);
    if (found == texts.end()) return std::nullopt;
    return found->second;
  };
}

/// A settings file of this test's own, removed with it.
class SettingsFile {
 public:
  explicit SettingsFile(const std::string& text) : path_(testing::TempDir() + "hotrow_config_test.toml") {
    std::ofstream(path_) << text;
  }
  ~SettingsFile() { std::remove(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

Settings loaded(const SettingTexts& flags, const std::string& file, const SettingTexts& environment) {
  const SettingsFile on_disk(file);
  const auto settings = load_settings(flags, on_disk.path(), variables(environment));
  EXPECT_TRUE(settings) << settings.error().front();
  return settings.value_or(default_settings());
}

Faults faults_of(const SettingTexts& flags, const std::string& file, const SettingTexts& environment) {
  const SettingsFile on_disk(file);
  const auto settings = load_settings(flags, on_disk.path(), variables(environment));
  return settings ? Faults{} : settings.error();
}

struct Layering {
  SettingTexts flags;
  SettingTexts environment;
  std::string file;
  std::int64_t lanes;
};

TEST(Config, FlagsWinOverTheEnvironmentOverTheFileOverDefaults) {
  const std::vector<Layering> cases{
      {{}, {}, "", 4},
      {{}, {}, "lanes = 5", 5},
      {{}, {{"HOTROW_LANES", "6"}}, "", 6},
      {{}, {{"HOTROW_LANES", "6"}}, "lanes = 5", 6},
      {{{"lanes", "7"}}, {}, "lanes = 5", 7},
      {{{"lanes", "7"}}, {{"HOTROW_LANES", "6"}}, "lanes = 5", 7},
  };
  for (const Layering& layering : cases) {
    EXPECT_EQ(loaded(layering.flags, layering.file, layering.environment).lanes, layering.lanes);
  }
}

TEST(Config, ASwitchIsSetByEveryWordForOnAndOff) {
  for (const char* on : {"true", "1", "yes", "on"}) EXPECT_TRUE(loaded({{"dev", on}}, "", {}).dev) << on;
  for (const char* off : {"false", "0", "no", "off"}) {
    EXPECT_FALSE(loaded({}, "", {{"HOTROW_PREPARED", off}}).prepared) << off;
  }
  for (const char* neither : {"maybe", "2", "", "TRUE", "-1"}) {
    EXPECT_EQ(faults_of({{"dev", neither}}, "", {}).size(), 1U) << neither;
  }
}

TEST(Config, ASchemaHasANameThatNeedsNoQuotesAndIsNotCut) {
  for (const std::string& name : {std::string("hotrow"), std::string("_w2"), std::string(63, 'a')}) {
    EXPECT_EQ(loaded({{"schema", name}}, "", {}).schema, name);
  }
  for (const std::string& name :
       {std::string(), std::string(64, 'a'), std::string("2nd"), std::string("World"), std::string("a-b"),
        std::string("a b"), std::string("a\"b")}) {
    EXPECT_EQ(faults_of({{"schema", name}}, "", {}).size(), 1U) << name;
  }
}

TEST(Config, AVariableThatIsNoSettingIsNamedWithTheNearest) {
  const std::vector<std::string> names{"PATH",         "HOTROW_CONFIG",       "HOTROW_URL",
                                       "HOTROW_LANES", "HOTROW_SERVICE_HOST", "HOTROW_PORT_8080_TCP_ADDR",
                                       "HOTROW_PORT",  "HOTROW_DRAIN_DELY",   "HOTROW_DB"};
  const Faults faults = unknown_variables(names);
  ASSERT_EQ(faults.size(), 2U);
  EXPECT_NE(faults[0].find("HOTROW_DRAIN_DELY; is HOTROW_DRAIN_DELAY meant?"), std::string::npos)
      << faults[0];
  EXPECT_NE(faults[1].find("HOTROW_DB; is HOTROW_"), std::string::npos) << faults[1];
}

TEST(Config, TheEnvironmentMayNameTheFile) {
  const SettingsFile file("readers = 9");
  const auto settings = load_settings({}, "", variables({{"HOTROW_CONFIG", file.path()}}));
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->readers, 9);
}

TEST(Config, EveryTypeIsReadFromTheFile) {
  const Settings settings =
      loaded({}, "dev = true\nschema = \"world_2\"\nrequest-timeout = \"250ms\"\nlanes = 2", {});
  EXPECT_TRUE(settings.dev);
  EXPECT_EQ(settings.schema, "world_2");
  EXPECT_EQ(settings.request_timeout, milliseconds(250));
  EXPECT_EQ(settings.lanes, 2);
}

TEST(Config, AllFaultsOfAllLayersAreToldTogether) {
  const Faults faults =
      faults_of({{"isolation", "none"}}, "lane = 3\nlanes = 0\nschema = [1]", {{"HOTROW_DRAIN_DELAY", "5"}});
  ASSERT_EQ(faults.size(), 5U);
  const std::string all =
      faults[0] + "\n" + faults[1] + "\n" + faults[2] + "\n" + faults[3] + "\n" + faults[4];
  EXPECT_NE(all.find(":1: no setting is called lane"), std::string::npos) << all;
  EXPECT_NE(all.find("lanes: must lie between 1 and 64"), std::string::npos) << all;
  EXPECT_NE(all.find(":3: schema"), std::string::npos) << all;
  EXPECT_NE(all.find("drain-delay: \"5\" is not a duration"), std::string::npos) << all;
  EXPECT_NE(all.find("--isolation: \"none\" is not read-committed or serializable"), std::string::npos)
      << all;
}

TEST(Config, AFileThatIsNoTomlIsRefusedWithItsLine) {
  const Faults faults = faults_of({}, "lanes = 2\nlanes = \n", {});
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_NE(faults.front().find(":2: "), std::string::npos) << faults.front();
}

TEST(Config, AMissingFileIsRefused) {
  const auto settings = load_settings({}, "/nonexistent/hotrow.toml", variables({}));
  ASSERT_FALSE(settings);
  EXPECT_NE(settings.error().front().find("cannot be read"), std::string::npos);
}

TEST(Config, DevHasNoDrainDelayUnlessItIsGiven) {
  EXPECT_EQ(loaded({}, "", {}).drain_delay, milliseconds(3000));
  EXPECT_EQ(loaded({{"dev", "true"}}, "", {}).drain_delay, milliseconds(0));
  EXPECT_EQ(loaded({{"dev", "true"}}, "drain-delay = \"1s\"", {}).drain_delay, milliseconds(1000));
}

TEST(Config, TheDatabaseOfAHigherLayerReplacesTheOneOfALower) {
  const Settings settings =
      loaded({{"database", "sqlite:a.db"}}, "database-file = \"/etc/hotrow/database\"", {});
  EXPECT_EQ(database_url(settings).value_or(""), "sqlite:a.db");
}

TEST(Config, TwoDatabasesInOneLayerContradict) {
  const Settings settings =
      loaded({{"database", "sqlite:a.db"}, {"database-file", "/etc/hotrow/database"}}, "", {});
  ASSERT_FALSE(database_url(settings));
  EXPECT_NE(database_url(settings).error().front().find("contradicts"), std::string::npos);
}

TEST(Config, TheUrlInADatabaseFileEndsAtItsLine) {
  const SettingsFile file("postgresql://hotrow:secret@db/hotrow\n");
  const Settings settings = loaded({{"database-file", file.path()}}, "database-file = \"elsewhere\"", {});
  const SettingsFile again("postgresql://hotrow:secret@db/hotrow\n");
  EXPECT_EQ(database_url(settings).value_or(""), "postgresql://hotrow:secret@db/hotrow");
}

struct Serving {
  const char* what;
  SettingTexts flags;
  std::size_t faults;
};

TEST(Config, WhatOthersCanReachNeedsKeys) {
  const std::vector<Serving> cases{
      {"dev on loopback", {{"dev", "true"}}, 0},
      {"dev on loopback, IPv6", {{"dev", "true"}, {"listen", "[::1]:80"}}, 0},
      {"loopback without keys", {}, 1},
      {"loopback with keys", {{"api-keys-file", "keys"}}, 0},
      {"everywhere without keys", {{"listen", "0.0.0.0:80"}}, 1},
      {"everywhere with keys", {{"listen", "0.0.0.0:80"}, {"api-keys-file", "keys"}}, 0},
      {"dev everywhere", {{"listen", "0.0.0.0:80"}, {"dev", "true"}}, 2},
      {"dev everywhere with keys", {{"listen", "0.0.0.0:80"}, {"dev", "true"}, {"api-keys-file", "keys"}}, 1},
      {"no port", {{"listen", "127.0.0.1"}, {"dev", "true"}}, 1},
  };
  for (const Serving& serving : cases) {
    SettingTexts flags = serving.flags;
    flags["database"] = "sqlite:a.db";
    EXPECT_EQ(check_for_serving(loaded(flags, "", {})).size(), serving.faults) << serving.what;
  }
}

TEST(Config, ServingWithoutADatabaseIsRefused) {
  EXPECT_EQ(check_for_serving(loaded({{"dev", "true"}}, "", {})).size(), 1U);
}

struct Pricing {
  const char* what;
  SettingTexts flags;
  bool sound;
};

TEST(Config, RatesUnderWhichListingCostsMoreThanSellingAreRefused) {
  const std::vector<Pricing> cases{
      {"the defaults", {}, true},
      {"nothing at all",
       {{"deposit-bps", "0"}, {"deposit-min", "0"}, {"cut-bps", "0"}, {"cut-min", "0"}},
       true},
      {"as much for both", {{"deposit-bps", "500"}}, true},
      {"a larger share held", {{"deposit-bps", "501"}}, false},
      {"a larger least deposit", {{"deposit-min", "2"}}, false},
      {"a smaller cut", {{"cut-bps", "99"}}, false},
  };
  for (const Pricing& pricing : cases) {
    SettingTexts flags = pricing.flags;
    flags["dev"] = "true";
    flags["database"] = "sqlite:x";
    EXPECT_EQ(check_for_serving(loaded(flags, "", {})).empty(), pricing.sound) << pricing.what;
  }
  EXPECT_EQ(faults_of({{"cut-bps", "10001"}}, "", {}).size(), 1U);
}

TEST(Config, RatesOfListingsAreThoseOfTheSettings) {
  const Rates rates = listing_rates(
      loaded({{"deposit-bps", "7"}, {"deposit-min", "2"}, {"cut-bps", "30"}, {"cut-min", "4"}}, "", {}));
  EXPECT_EQ(rates, (Rates{.deposit_bps = 7, .deposit_min = 2, .cut_bps = 30, .cut_min = 4}));
  EXPECT_EQ(listing_rates(default_settings()), Rates{});
}

struct Listening {
  const char* text;
  const char* host;
  int port;
  bool loopback;
};

TEST(Config, ListenAddressesAreReadAsWritten) {
  const std::vector<Listening> cases{
      {"127.0.0.1:8080", "127.0.0.1", 8080, true}, {"127.9.9.9:1", "127.9.9.9", 1, true},
      {"localhost:0", "127.0.0.1", 0, true},       {"[::1]:65535", "::1", 65535, true},
      {"0.0.0.0:80", "0.0.0.0", 80, false},        {"[::]:80", "::", 80, false}};
  for (const Listening& listening : cases) {
    const auto address = parse_listen(listening.text);
    ASSERT_TRUE(address) << listening.text;
    EXPECT_EQ(address->host, listening.host);
    EXPECT_EQ(address->port, listening.port);
    EXPECT_EQ(address->loopback, listening.loopback) << listening.text;
  }
  for (const char* text :
       {"", ":80", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:8x", "::1:80"}) {
    EXPECT_FALSE(parse_listen(text)) << text;
  }
}

TEST(Settings, DurationsNeedAUnit) {
  EXPECT_EQ(parse_duration("250ms"), milliseconds(250));
  EXPECT_EQ(parse_duration("3s"), milliseconds(3'000));
  EXPECT_EQ(parse_duration("5min"), milliseconds(300'000));
  EXPECT_EQ(parse_duration("2h"), milliseconds(7'200'000));
  EXPECT_EQ(parse_duration("7d"), milliseconds(604'800'000));
  for (const char* text : {"", "3", "s", "3 s", "-3s", "3sec", "1.5s", "9999999999s"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
}

TEST(Settings, EachHasASentenceAndItsOwnName) {
  std::set<std::string_view> names;
  for (const Setting& setting : all_settings()) {
    EXPECT_TRUE(names.insert(setting.name).second) << setting.name;
    EXPECT_TRUE(setting.explanation.ends_with('.')) << setting.name;
  }
}

TEST(Settings, TheFileInConfSaysWhatTheTableSays) {
  std::ifstream in(HOTROW_CONF_FILE);
  std::ostringstream text;
  text << in.rdbuf();
  EXPECT_EQ(text.str(), settings_file()) << "hotrow settings > conf/hotrow.toml";
}

TEST(Settings, TheFileInConfIsReadBackWhole) {
  std::string uncommented;
  std::istringstream lines(settings_file());
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('#') && !line.starts_with("# ")) line.erase(0, 1);
    uncommented += line + "\n";
  }
  SettingTexts texts;
  EXPECT_TRUE(read_settings_file(uncommented, "conf", texts).empty());
  EXPECT_EQ(texts.size(), all_settings().size());
}

}  // namespace
}  // namespace hotrow
