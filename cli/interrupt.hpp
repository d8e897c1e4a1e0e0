// SPDX-License-Identifier: MIT
/// \file
/// Ctrl-C. Finished points are on the disk, written whole, so stopping at once loses only the
/// points in hand; waiting for them could take hours.
#pragma once

namespace paceline {

/// From now on SIGINT and SIGTERM end the program with one line and exit code 130.
void stop_cleanly_on_interrupt();

}  // namespace paceline
