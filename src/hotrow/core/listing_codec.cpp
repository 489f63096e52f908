#include "hotrow/core/listing_codec.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "hotrow/core/trusted_json.hpp"

namespace hotrow {

namespace json = boost::json;

namespace {

std::optional<std::int64_t> optional_integer(TrustedReader& in, std::string_view name) {
  if (in.find(name) == nullptr) return std::nullopt;
  return in.integer(name);
}

std::optional<AntiSnipe> anti_snipe_from(const json::value& value) {
  return read_object<AntiSnipe>(value, [](TrustedReader& in) {
    return AntiSnipe{.window_seconds = in.integer("window_seconds"),
                     .extend_seconds = in.integer("extend_seconds"),
                     .max_extensions = in.integer("max_extensions")};
  });
}

}  // namespace

json::object to_json(const ItemFacts& item) {
  return {{"id", item.id}, {"family", item.family}, {"attributes", item.attributes}};
}

std::optional<ItemFacts> item_facts_from_json(const json::value& value) {
  return read_object<ItemFacts>(value, [](TrustedReader& in) {
    return ItemFacts{.id = in.text("id"), .family = in.text("family"), .attributes = in.text("attributes")};
  });
}

std::string encode_terms(const ListingTerms& terms) {
  json::object object{{"seller", terms.seller},
                      {"item", to_json(terms.item)},
                      {"currency", terms.currency},
                      {"start_price", terms.start_price},
                      {"min_increment", terms.min_increment},
                      {"on_close", to_string(terms.on_close)},
                      {"deposit_bps", terms.rates.deposit_bps},
                      {"deposit_min", terms.rates.deposit_min},
                      {"cut_bps", terms.rates.cut_bps},
                      {"cut_min", terms.rates.cut_min},
                      {"deposit", terms.deposit},
                      {"first_ends_at", terms.first_ends_at.micros},
                      {"created_at", terms.created_at.micros}};
  if (terms.buyout_price) object["buyout_price"] = *terms.buyout_price;
  if (terms.anti_snipe) {
    object["anti_snipe"] = json::object{{"window_seconds", terms.anti_snipe->window_seconds},
                                        {"extend_seconds", terms.anti_snipe->extend_seconds},
                                        {"max_extensions", terms.anti_snipe->max_extensions}};
  }
  return json::serialize(object);
}

std::optional<ListingTerms> decode_terms(std::string_view text) {
  boost::system::error_code error;
  const json::value value = json::parse(json::string_view(text.data(), text.size()), error);
  if (error) return std::nullopt;
  return read_object<ListingTerms>(value, [](TrustedReader& in) -> std::optional<ListingTerms> {
    std::optional<ItemFacts> item = member<ItemFacts>(in, "item", item_facts_from_json);
    const std::optional<OnClose> on_close = on_close_from_string(in.text("on_close"));
    if (!item || !on_close) return std::nullopt;
    ListingTerms terms{.seller = in.text("seller"),
                       .item = std::move(*item),
                       .currency = in.text("currency"),
                       .start_price = in.integer("start_price"),
                       .buyout_price = optional_integer(in, "buyout_price"),
                       .min_increment = in.integer("min_increment"),
                       .on_close = *on_close,
                       .rates = {.deposit_bps = in.integer("deposit_bps"),
                                 .deposit_min = in.integer("deposit_min"),
                                 .cut_bps = in.integer("cut_bps"),
                                 .cut_min = in.integer("cut_min")},
                       .deposit = in.integer("deposit"),
                       .first_ends_at = in.micros("first_ends_at"),
                       .created_at = in.micros("created_at")};
    if (in.find("anti_snipe") != nullptr) {
      terms.anti_snipe = member<AntiSnipe>(in, "anti_snipe", anti_snipe_from);
    }
    return terms;
  });
}

}  // namespace hotrow
