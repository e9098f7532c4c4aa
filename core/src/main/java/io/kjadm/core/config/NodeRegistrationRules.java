package io.kjadm.core.config;

/** What must hold for a node once its name is known. */
final class NodeRegistrationRules {

    private NodeRegistrationRules() {}

    static void check(NodeRegistration node, FieldErrors errors) {
        if (!Names.isSubdomain(node.name())) {
            errors.invalid(
                    "nodeRegistration.name",
                    node.name(),
                    "must be a DNS subdomain: "
                            + "letters, digits, dots and dashes, and at most 253 of them");
        }
    }
}
