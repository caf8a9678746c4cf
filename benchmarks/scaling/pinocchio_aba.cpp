// Times Pinocchio's articulated-body algorithm for an open chain.
//
//     pinocchio_aba CHAIN STATES BLOCKS SECONDS
//
// CHAIN has the gravity in its first row, then a row for each link: axis (0, 1, 2 for x, y, z),
// mass, mass centre, offset of the next hinge, inertia by rows. A state is the joints' rates, then
// their angles. Both conventions of the algorithm are timed. Without blocks it prints the
// accelerations instead.
#include <pinocchio/algorithm/aba.hpp>

#include "rounds.h"

namespace pin = pinocchio;

enum { COLUMNS = 17 };

static pin::Model model;
static pin::Data *data;
static Eigen::VectorXd q, v, torque;
static double *acceleration;

static void build(const number_table &chain)
{
    model.gravity.linear() = Eigen::Map<const Eigen::Vector3d>(row_of(&chain, 0));
    pin::JointIndex parent = 0;
    Eigen::Vector3d place = Eigen::Vector3d::Zero();
    for (int i = 1; i < chain.rows; i++) {
        const double *link = row_of(&chain, i);
        const pin::SE3 at(Eigen::Matrix3d::Identity(), place);
        const std::string name = "joint" + std::to_string(i);
        const int axis = (int)link[0];
        if (axis == 0)
            parent = model.addJoint(parent, pin::JointModelRX(), at, name);
        else if (axis == 1)
            parent = model.addJoint(parent, pin::JointModelRY(), at, name);
        else
            parent = model.addJoint(parent, pin::JointModelRZ(), at, name);
        const Eigen::Vector3d centre(link + 2);
        const Eigen::Matrix3d inertia = Eigen::Map<const Eigen::Matrix3d>(link + 8);
        model.appendBodyToJoint(parent, pin::Inertia(link[1], centre, inertia),
                                pin::SE3::Identity());
        place = Eigen::Vector3d(link + 5);
    }
}

template <pin::Convention convention> static void evaluate(const double *state)
{
    v = Eigen::Map<const Eigen::VectorXd>(state, model.nv);
    q = Eigen::Map<const Eigen::VectorXd>(state + model.nv, model.nq);
    pin::aba(model, *data, q, v, torque, convention);
}

static void evaluate_and_keep(const double *state)
{
    evaluate<pin::Convention::LOCAL>(state);
    Eigen::Map<Eigen::VectorXd>(acceleration, model.nv) = data->ddq;
}

int main(int arguments, char **argument)
{
    if (arguments != 5)
        die("see the comment at the top for the arguments");
    const number_table chain = read_table(argument[1]), states = read_table(argument[2]);
    if (chain.columns != COLUMNS || states.columns != 2 * (chain.rows - 1))
        die("chain and states do not fit together");
    build(chain);
    pin::Data own(model);
    data = &own;
    torque = Eigen::VectorXd::Zero(model.nv);
    acceleration = new double[(size_t)model.nv];
    const int blocks = atoi(argument[3]);
    if (blocks > 0) {
        const double seconds = atof(argument[4]);
        time_blocks("local", evaluate<pin::Convention::LOCAL>, &states, blocks, seconds);
        time_blocks("world", evaluate<pin::Convention::WORLD>, &states, blocks, seconds);
    } else {
        print_rows(evaluate_and_keep, &states, acceleration, model.nv);
    }
    return 0;
}
