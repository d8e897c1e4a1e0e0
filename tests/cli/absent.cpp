// SPDX-License-Identifier: MIT
// A library that a plug-in needs and that the dynamic linker cannot find.
int paceline_absent() {
  return 0;
}
