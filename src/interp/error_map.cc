#include "interp/error_map.h"

#include <limits>

namespace tl::interp {

ErrorMap::Page *ErrorMap::find(uint64_t number) const {
  if (number == lastNumber)
    return last;
  auto it = pages.find(number);
  lastNumber = number;
  last = it == pages.end() ? nullptr : it->second.get();
  return last;
}

ErrorMap::Page &ErrorMap::findOrAdd(uint64_t number) {
  if (Page *page = find(number))
    return *page;
  last = pages.emplace(number, std::make_unique<Page>()).first->second.get();
  return *last;
}

ErrorMap::Cell ErrorMap::cellAt(uint64_t address) const {
  const Page *page = find(address / pageBytes);
  return page ? page->cells[address % pageBytes] : Cell{};
}

void ErrorMap::store(uint64_t address, DType type, const Doubt &doubt) {
  bool exact = doubt.bound == 0 && doubt.marks == 0 && doubt.product == 0;
  if (exact && empty())
    return;
  Cell cell;
  if (!exact)
    cell = {uint8_t(type), doubt.marks, false, doubt.product != 0};
  for (unsigned i = 0; i < dtypeBytes(type); ++i) {
    uint64_t at = address + i;
    Page *page = exact ? find(at / pageBytes) : &findOrAdd(at / pageBytes);
    if (!page)
      continue;
    cell.first = i == 0 && !exact;
    page->cells[at % pageBytes] = cell;
    if (cell.first && isFloat(type))
      page->bounds[at % pageBytes / 2] = doubt.bound;
  }
}

Doubt ErrorMap::load(uint64_t address, DType type) const {
  if (empty())
    return {};
  Cell first = cellAt(address);
  Cell rest = first;
  rest.first = false;
  bool whole = first.type == 0 || (first.first && first.type == uint8_t(type));
  for (unsigned i = 1; i < dtypeBytes(type); ++i)
    whole &= cellAt(address + i) == rest;
  if (!whole)
    return {0, 0, Undecided};
  if (first.type == 0)
    return {};
  Doubt doubt;
  doubt.marks = first.marks;
  if (isFloat(type))
    doubt.bound = find(address / pageBytes)->bounds[address % pageBytes / 2];
  doubt.product = first.product ? std::numeric_limits<double>::infinity() : 0;
  return doubt;
}

} // namespace tl::interp
