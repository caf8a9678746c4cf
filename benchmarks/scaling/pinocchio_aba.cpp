// Times Pinocchio's articulated-body algorithm for a chain or a robot on a fixed base.
//
//     pinocchio_aba FILE STATES BLOCKS SECONDS
//
// FILE is what Pinocchio's Model.saveToText writes. A state is the joints' rates, then their
// coordinates, in Pinocchio's order. Both conventions of the algorithm are timed. Without blocks
// it prints the accelerations instead.
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/serialization.hpp>

#include "rounds.h"

namespace pin = pinocchio;

static pin::Model model;
static pin::Data *data;
static Eigen::VectorXd q, v, torque;
static double *acceleration;

template <pin::Convention convention> static void evaluate(const double *state)
{
    v = Eigen::Map<const Eigen::VectorXd>(state, model.nv);
    const double *value = state + model.nv;
    if (model.nq == model.nv) {
        q = Eigen::Map<const Eigen::VectorXd>(value, model.nq);
        pin::aba(model, *data, q, v, torque, convention);
        return;
    }
    for (std::size_t i = 1; i < model.joints.size(); i++) {
        const auto &joint = model.joints[i];
        const double x = value[joint.idx_v()];
        if (joint.nq() == 2) { // without limits: cosine and sine
            q[joint.idx_q()] = std::cos(x);
            q[joint.idx_q() + 1] = std::sin(x);
        } else {
            q[joint.idx_q()] = x;
        }
    }
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
    pin::serialization::loadFromText(model, argument[1]);
    const number_table states = read_table(argument[2]);
    if (states.columns != 2 * model.nv)
        die("file and states do not fit together");
    pin::Data own(model);
    data = &own;
    q = Eigen::VectorXd::Zero(model.nq);
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
