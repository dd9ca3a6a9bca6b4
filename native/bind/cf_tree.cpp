// The clustering feature tree of BIRCH as Python sees it: an object that takes rows, and its nodes as arrays.
#include "learnable/cluster/cf_tree.hpp"

#include <nanobind/stl/tuple.h>

#include "arrays.hpp"

namespace learnable::bind {

using Indices = nb::ndarray<nb::numpy, std::int64_t, nb::ndim<1>, nb::c_contig>;

static Indices integers(std::vector<std::int64_t> values) {
  auto* owned = new std::vector<std::int64_t>(std::move(values));
  const nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<std::int64_t>*>(p); });
  return Indices(owned->data(), {owned->size()}, owner);
}

// The nodes from the root down, level by level, so that children come after their parents.
static std::vector<std::int64_t> levels(const CfTree& tree) {
  std::vector<std::int64_t> order{tree.root()};
  for (std::size_t at = 0; at < order.size(); ++at)
    for (const CfEntry& entry : tree.nodes()[order[at]].entries)
      if (entry.child != no_node) order.push_back(entry.child);
  return order;
}

class BoundCfTree {
 public:
  BoundCfTree(index_t features, double threshold, index_t branching) : tree_(features, threshold, branching) {
    require(features > 0 && threshold >= 0 && branching >= 2, "a tree needs features, and at least two entries a node");
  }

  void insert(const Rows<double>& X) {
    require(index_t(X.shape(1)) == tree_.features(), "X must have as many columns as the tree");
    nb::gil_scoped_release release;
    tree_.insert(view(X));
  }

  nb::tuple arrays() const {
    const std::vector<std::int64_t> order = levels(tree_);
    std::vector<std::int64_t> number(tree_.nodes().size(), no_node), sizes, children, leaves;
    for (std::size_t k = 0; k < order.size(); ++k) number[order[k]] = std::int64_t(k);
    index_t count = 0;
    for (const std::int64_t node : order) count += index_t(tree_.nodes()[node].entries.size());
    const NewArray sums = learnable_python::new_array({count, 2});
    const NewArray means = learnable_python::new_array({count, tree_.features()});
    double *sum = sums.data, *mean = means.data;
    for (const std::int64_t node : order) {
      const CfNode& from = tree_.nodes()[node];
      sizes.push_back(std::int64_t(from.entries.size()));
      for (const CfEntry& entry : from.entries) {
        children.push_back(entry.child == no_node ? no_node : number[entry.child]);
        *sum++ = entry.rows;
        *sum++ = entry.deviations;
      }
      mean = std::copy(from.means.begin(), from.means.end(), mean);
    }
    for (std::int64_t leaf = tree_.first_leaf(); leaf != no_node; leaf = tree_.nodes()[leaf].next)
      leaves.push_back(number[leaf]);
    return nb::make_tuple(integers(std::move(sizes)), integers(std::move(children)), sums.array, means.array,
                          integers(std::move(leaves)));
  }

  void restore(const Vector<std::int64_t>& sizes, const Vector<std::int64_t>& children, const Rows<double>& sums,
               const Rows<double>& means, const Vector<std::int64_t>& leaves) {
    const std::int64_t count = std::int64_t(sizes.shape(0)), entries = std::int64_t(children.shape(0));
    require(count > 0 && sums.shape(0) == children.shape(0) && means.shape(0) == children.shape(0) &&
                sums.shape(1) == 2 && index_t(means.shape(1)) == tree_.features() && leaves.shape(0) > 0,
            "the arrays of the tree are inconsistent");
    std::vector<CfNode> nodes(std::size_t(count), CfNode{});
    std::int64_t at = 0;
    for (std::int64_t k = 0; k < count; ++k) {
      require(sizes(k) >= 0 && sizes(k) <= entries - at, "the nodes must have all entries");
      nodes[k].means.assign(&means(at, 0), &means(at, 0) + sizes(k) * tree_.features());
      for (std::int64_t e = 0; e < sizes(k); ++e, ++at) {
        require(children(at) == no_node || (children(at) > k && children(at) < count), "children must come later");
        nodes[k].entries.push_back({sums(at, 0), sums(at, 1), children(at)});
      }
    }
    require(at == entries, "the nodes must have all entries");
    link(nodes, leaves);
    tree_.restore(std::move(nodes), leaves(0));
  }

 private:
  static void link(std::vector<CfNode>& nodes, const Vector<std::int64_t>& leaves) {
    std::vector<bool> met(nodes.size());
    for (std::size_t k = 0; k < leaves.shape(0); ++k) {
      require(leaves(k) >= 0 && leaves(k) < std::int64_t(nodes.size()) && !met[leaves(k)], "leaves must be listed once");
      met[leaves(k)] = true;
      if (k > 0) nodes[leaves(k - 1)].next = leaves(k);
    }
  }

  CfTree tree_;
};

}  // namespace learnable::bind

void bind_cf_tree(nanobind::module_& m) {
  namespace nb = nanobind;
  using namespace nanobind::literals;
  using learnable::bind::BoundCfTree;
  nb::class_<BoundCfTree>(m, "CfTree", "The clustering feature tree of BIRCH.")
      .def(nb::init<learnable::index_t, double, learnable::index_t>(), "features"_a, "threshold"_a, "branching"_a)
      .def("insert", &BoundCfTree::insert, "X"_a.noconvert(), "insert(X) -> None; adds the rows in their order.")
      .def("arrays", &BoundCfTree::arrays,
           "arrays() -> sizes, children, sums, means, leaves; the nodes by level: how many entries each has, and of every "
           "entry its child or -1, its number of rows and their squared deviations, and their mean; the list of leaves.")
      .def("restore", &BoundCfTree::restore, "sizes"_a.noconvert(), "children"_a.noconvert(), "sums"_a.noconvert(),
           "means"_a.noconvert(), "leaves"_a.noconvert(),
           "restore(sizes, children, sums, means, leaves) -> None; goes on with the arrays of another tree.");
}
