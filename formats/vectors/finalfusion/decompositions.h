#pragma once

#include <Eigen/Core>

// Decompositions of matrices. They have a file of their own, because Eigen's templates for them
// take longer to compile than the rest of this folder.
namespace embd::finalfusion {

struct Eigenbasis {
  Eigen::VectorXd values;   ///< The eigenvalues, [dim], ascending.
  Eigen::MatrixXd vectors;  ///< The eigenvectors, [dim, dim]: column i belongs to values[i].
};

/// Returns the eigenvalues and eigenvectors of a symmetric matrix [dim, dim].
Eigenbasis eigenbasis_of(const Eigen::MatrixXd& symmetric);

/// Returns U·Vᵀ of the singular value decomposition U·S·Vᵀ of a square matrix: the orthogonal
/// matrix that is nearest to it.
Eigen::MatrixXd nearest_orthogonal(const Eigen::MatrixXd& matrix);

}  // namespace embd::finalfusion
