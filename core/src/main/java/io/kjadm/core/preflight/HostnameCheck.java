package io.kjadm.core.preflight;

import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** The node's name is well-formed and has an address. */
record HostnameCheck(String nodeName, NameResolver resolver) implements Check {

    /**
     * What Kubernetes calls a qualified name: an optional DNS prefix and a name of up to 63
     * characters.
     */
    private static final Pattern QUALIFIED = Pattern.compile(
            "(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?/)?[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?");

    @Override
    public String name() {
        return "Hostname";
    }

    @Override
    public List<Finding> run() {
        List<Finding> findings = new ArrayList<>(Finding.warningIf(
                !QUALIFIED.matcher(nodeName).matches(),
                "node name \"%s\" is not a qualified name".formatted(nodeName)));
        try {
            resolver.resolve(nodeName);
        } catch (UnknownHostException e) {
            findings.add(Finding.warning("hostname \"%s\" could not be reached: %s"
                    .formatted(nodeName, e.getMessage())));
        }
        return findings;
    }
}
