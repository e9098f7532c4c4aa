package io.kjadm.manifests;

import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.SequenceNode;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

/**
 * Keeps a short text from standing for a huge document: each alias stands for all that its anchor
 * holds, and that may hold aliases again.
 */
public final class YamlAliases {

    /** What all aliases of a document may stand for; texts written by hand stay far below. */
    private static final int MAX_NODES = 10_000;
    /** Aliases can nest a document deeper than its text. */
    private static final int MAX_DEPTH = 200;

    private final Set<Node> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    private int repeated;

    private YamlAliases() {}

    /**
     * Refuses a document whose aliases stand for too much, before anything is made of it.
     *
     * @throws YAMLException if they do, or if one refers to the node that it is part of
     */
    public static void check(Node root) {
        new YamlAliases().visit(root, 0);
    }

    private void visit(Node node, int depth) {
        if (depth > MAX_DEPTH) {
            throw new YAMLException("an alias refers to the node it is part of, or the document is"
                    + " nested too deep");
        }
        if (!seen.add(node) && ++repeated > MAX_NODES) {
            throw new YAMLException(
                    "excessive aliasing: the aliases stand for more than " + MAX_NODES + " values");
        }
        switch (node) {
            case MappingNode mapping -> {
                for (NodeTuple entry : mapping.getValue()) {
                    visit(entry.getKeyNode(), depth + 1);
                    visit(entry.getValueNode(), depth + 1);
                }
            }
            case SequenceNode sequence ->
                sequence.getValue().forEach(item -> visit(item, depth + 1));
            default -> {}
        }
    }
}
