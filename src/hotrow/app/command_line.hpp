#pragma once

namespace hotrow {

/// The program: reads the command line, runs the command, returns what the shell gets.
int run_command_line(int argc, char** argv);

}  // namespace hotrow
