#include "formats/vectors/finalfusion/product_quantizer.h"

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>

namespace embd::finalfusion {

Eigenbasis eigenbasis_of(const Eigen::MatrixXd& symmetric) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(symmetric);
  return {.values = solver.eigenvalues(), .vectors = solver.eigenvectors()};
}

Eigen::MatrixXd nearest_orthogonal(const Eigen::MatrixXd& matrix) {
  const Eigen::BDCSVD<Eigen::MatrixXd> svd(matrix, Eigen::ComputeFullU | Eigen::ComputeFullV);
  return svd.matrixU() * svd.matrixV().transpose();
}

}  // namespace embd::finalfusion
