package io.kjadm.e2e.sandbox;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Decides by RBAC who may do what, with the roles and bindings that are stored. Kubernetes' own
 * components, and the group that Kubernetes itself lets through, are let through here too.
 */
final class Authorizer {
    private static final Set<String> COMPONENTS =
            Set.of("system:kube-controller-manager", "system:kube-scheduler");
    private static final String RBAC = "/registry/rbac.authorization.k8s.io/";

    private final EtcdStore store;

    Authorizer(EtcdStore store) {
        this.store = store;
    }

    boolean allows(Caller caller, String verb, ResourcePath path) throws IOException {
        if (caller.in("system:masters")
                || caller.in("system:nodes")
                || COMPONENTS.contains(caller.user())) {
            return true;
        }
        return allowsByRole(caller, verb, path);
    }

    /** Whether a stored role allows it. */
    boolean allowsByRole(Caller caller, String verb, ResourcePath path) throws IOException {
        for (var rule : rules(caller, path.namespace())) {
            if (covers(rule.path("verbs"), verb)
                    && covers(rule.path("apiGroups"), path.group())
                    && covers(rule.path("resources"), path.resource())
                    && (rule.path("resourceNames").isEmpty()
                            || covers(rule.path("resourceNames"), path.name()))) {
                return true;
            }
        }
        return false;
    }

    private List<JsonNode> rules(Caller caller, String namespace) throws IOException {
        var rules = new ArrayList<JsonNode>();
        for (var binding : store.list(RBAC + "clusterrolebindings/")) {
            collect(binding, caller, "-", rules);
        }
        if (!namespace.isEmpty()) {
            for (var binding : store.list(RBAC + "rolebindings/" + namespace + "/")) {
                collect(binding, caller, namespace, rules);
            }
        }
        return rules;
    }

    private void collect(ObjectNode binding, Caller caller, String namespace, List<JsonNode> rules)
            throws IOException {
        for (var subject : binding.path("subjects")) {
            var name = subject.path("name").asText();
            var meant = subject.path("kind").asText().equals("Group")
                    ? caller.in(name)
                    : caller.user().equals(name);
            if (meant) {
                var role = binding.path("roleRef");
                var key = role.path("kind").asText().equals("ClusterRole")
                        ? "clusterroles/-/"
                        : "roles/" + namespace + "/";
                store.get(RBAC + key + role.path("name").asText())
                        .ifPresent(found -> found.path("rules").forEach(rules::add));
            }
        }
    }

    private static boolean covers(JsonNode list, String wanted) {
        for (var item : list) {
            if (item.asText().equals("*") || item.asText().equals(wanted)) {
                return true;
            }
        }
        return false;
    }
}
