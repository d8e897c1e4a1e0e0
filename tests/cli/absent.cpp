// SPDX-License-Identifier: MIT
// A library that a plug-in needs and that is not where it is looked for.
int paceline_absent() {
  return 0;
}
