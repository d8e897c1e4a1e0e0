// SPDX-License-Identifier: MIT
// The program's memory in huge pages, where the kernel gives them to those that want them. Of many
// workers each is in a place of its own, and with small pages finding the place takes as long as
// reading it. jemalloc reads this variable when the program starts.
extern "C" {
extern const char* malloc_conf;
const char* malloc_conf = "thp:always,metadata_thp:always";
}
