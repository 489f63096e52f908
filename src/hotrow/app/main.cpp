#include "hotrow/app/command_line.hpp"

int main(int argc, char** argv) { return hotrow::run_command_line(argc, argv); }
