#include "tests/routersim/query.h"

#include <charconv>
#include <optional>
#include <string_view>

namespace mikroscope::routersim {
namespace {

std::optional<long long> whole_number(std::string_view text) {
  long long value = 0;
  const char* end = text.data() + text.size();
  if (text.empty() || std::from_chars(text.data(), end, value).ptr != end) return std::nullopt;
  return value;
}

// Numbers by value, anything else by its octets.
int compare(const std::string& a, const std::string& b) {
  const auto left = whole_number(a);
  const auto right = whole_number(b);
  if (left && right) return *left < *right ? -1 : *left > *right ? 1 : 0;
  return a.compare(b);
}

// A flag that is off may be asked for although the row does not show it, and in either spelling.
bool equal(const Row& row, const std::string& name, const std::string& wanted) {
  const std::string* have = row.find(name);
  if (have == nullptr) return false;
  if (*have == "true" || *have == "false") {
    const std::string yes = wanted == "yes" ? "true" : wanted == "no" ? "false" : wanted;
    return *have == yes;
  }
  return *have == wanted;
}

class Stack {
 public:
  void push(bool value) { values_.push_back(value); }
  // Below its bottom lies an endless supply of true.
  bool pop() {
    if (values_.empty()) return true;
    const bool top = values_.back();
    values_.pop_back();
    return top;
  }
  bool at(std::size_t index) const { return index < values_.size() ? values_[index] : true; }
  void replace(bool value) { values_.assign(1, value); }
  bool all() const {
    for (const bool value : values_) {
      if (!value) return false;
    }
    return true;
  }

 private:
  std::vector<bool> values_;
};

void operate(Stack& stack, std::string_view ops) {
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (ops[i] >= '0' && ops[i] <= '9') {
      std::size_t index = 0;
      while (i < ops.size() && ops[i] >= '0' && ops[i] <= '9')
        index = index * 10 + static_cast<std::size_t>(ops[i++] - '0');
      if (i == ops.size()) {
        stack.replace(stack.at(index));
      } else {
        stack.push(stack.at(index));
        if (ops[i] != '.') --i;
      }
    } else if (ops[i] == '!') {
      stack.push(!stack.pop());
    } else if (ops[i] == '&' || ops[i] == '|') {
      const bool b = stack.pop();
      const bool a = stack.pop();
      stack.push(ops[i] == '&' ? a && b : a || b);
    } else if (ops[i] == '.') {
      const bool top = stack.pop();
      stack.push(top);
      stack.push(top);
    }
  }
}

}  // namespace

bool query_matches(const Row& row, const std::vector<std::string>& words) {
  Stack stack;
  for (const std::string& word : words) {
    std::string_view text(word);
    if (!text.empty() && text.front() == '?') text.remove_prefix(1);
    if (!text.empty() && text.front() == '#') {
      operate(stack, text.substr(1));
      continue;
    }
    char kind = '=';
    if (!text.empty() &&
        (text.front() == '-' || text.front() == '<' || text.front() == '>' || text.front() == '=')) {
      kind = text.front();
      text.remove_prefix(1);
    }
    const std::size_t equals = text.find('=');
    const std::string name(text.substr(0, equals));
    const std::string value(equals == std::string_view::npos ? std::string_view() : text.substr(equals + 1));
    if (kind == '-') {
      stack.push(!row.has(name));
    } else if (equals == std::string_view::npos) {
      stack.push(row.has(name));
    } else if (kind == '=') {
      stack.push(equal(row, name, value));
    } else {
      const std::string* have = row.find(name);
      const int order = have == nullptr ? 0 : compare(*have, value);
      stack.push(kind == '<' ? order < 0 : order > 0);
    }
  }
  return stack.all();
}

}  // namespace mikroscope::routersim
