// SPDX-License-Identifier: MIT
/// \file
/// Handles Ctrl-C. Finished points are on the disk as complete files, so an immediate stop loses
/// only the running points; waiting for these could take hours.
#pragma once

namespace paceline {

/// Makes SIGINT and SIGTERM end the program with one line and exit code 130.
void stop_cleanly_on_interrupt();

}  // namespace paceline
