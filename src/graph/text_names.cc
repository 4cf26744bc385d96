#include "graph/text_names.h"

#include <algorithm>

namespace tl {

bool isValueName(std::string_view name) {
  auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  if (name.empty() || !letter(name[0]))
    return false;
  return std::all_of(name.begin(), name.end(),
                     [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

bool isIdentifier(std::string_view name) { return name.size() <= 255 && isValueName(name); }

void NameScopes::pop() {
  for (std::string_view name : scopes.back()) {
    auto it = visible.find(name);
    closed.insert_or_assign(name, it->second.token);
    visible.erase(it);
  }
  scopes.pop_back();
}

const NameScopes::Definition *NameScopes::find(std::string_view name) const {
  auto it = visible.find(name);
  return it == visible.end() ? nullptr : &it->second;
}

bool NameScopes::define(const Token &token, ValueId value) {
  if (!visible.try_emplace(token.text, Definition{value, token}).second)
    return false;
  scopes.back().push_back(token.text);
  return true;
}

void NameScopes::defineOuter(const Token &token, ValueId value) {
  visible.try_emplace(token.text, Definition{value, token});
  scopes.front().push_back(token.text);
}

const Token *NameScopes::findClosed(std::string_view name) const {
  auto it = closed.find(name);
  return it == closed.end() ? nullptr : &it->second;
}

std::string_view NameScopes::nearest(std::string_view name) const {
  std::string_view best;
  size_t bestDistance = editTolerance(name) + 1;
  for (const auto &[candidate, definition] : visible) {
    size_t distance = editDistance(name, candidate, bestDistance + 1);
    // Equal distances: the first in alphabetical order, so that messages do not depend on hashing.
    if (distance < bestDistance ||
        (distance == bestDistance && !best.empty() && candidate < best)) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

std::string_view nearestWord(std::string_view word, std::span<const std::string_view> words) {
  std::string_view best;
  size_t bestDistance = editTolerance(word) + 1;
  for (std::string_view candidate : words)
    if (size_t distance = editDistance(word, candidate, bestDistance); distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  return best;
}

size_t editTolerance(std::string_view word) {
  return word.size() < 2 ? 0 : word.size() <= 4 ? 1 : word.size() <= 7 ? 2 : 3;
}

size_t editDistance(std::string_view a, std::string_view b, size_t limit) {
  size_t difference = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
  if (difference >= limit || a.size() > 64 || b.size() > 64)
    return std::max(difference, limit);
  std::vector<size_t> beforeLast(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + size_t(a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], beforeLast[j - 2] + 1);
    }
    std::swap(beforeLast, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

} // namespace tl
