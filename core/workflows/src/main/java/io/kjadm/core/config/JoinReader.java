package io.kjadm.core.config;

import io.kjadm.core.value.HostAndPort;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Reads JoinConfiguration; name, socket and address are as given, not detected yet. */
final class JoinReader {

    /** Stands in for an endpoint that was refused; nothing ever connects to it. */
    private static final HostAndPort NO_ENDPOINT = new HostAndPort("", 0);

    private final TreeView view;
    private final Consumer<String> warnings;

    JoinReader(Document document, FieldErrors errors, Consumer<String> warnings) {
        this.view = TreeView.of(document, errors);
        this.warnings = warnings;
    }

    JoinConfiguration read() {
        TreeView part = view.object("controlPlane");
        Optional<JoinControlPlane> controlPlane = view.has("controlPlane")
                ? Optional.of(new JoinControlPlane(
                        CommonReader.endpoint(part.object("localAPIEndpoint")),
                        CommonReader.certificateKey(part)))
                : Optional.empty();
        return new JoinConfiguration(
                CommonReader.nodeRegistration(view.object("nodeRegistration"), warnings),
                caCertPath(),
                discovery(view.object("discovery")),
                controlPlane,
                RunSettings.read(view, CommonReader.timeouts(view.object("timeouts"))));
    }

    private Path caCertPath() {
        Optional<Path> path = view.absolutePath("caCertPath");
        path.filter(given -> given.isAbsolute() && !given.toString().endsWith(".crt"))
                .ifPresent(given -> view.invalid("caCertPath", given, "must end in .crt"));
        return path.orElse(JoinConfiguration.DEFAULT_CA_CERT_PATH);
    }

    private static Discovery discovery(TreeView view) {
        boolean token = view.has("bootstrapToken");
        boolean file = view.has("file");
        if (token == file) {
            view.invalid(
                    "",
                    token ? List.of("bootstrapToken", "file") : "",
                    "either bootstrapToken or file must be given");
        }
        if (token) {
            return tokenDiscovery(view, view.object("bootstrapToken"));
        }
        return fileDiscovery(view, view.object("file"));
    }

    private static TokenDiscovery tokenDiscovery(TreeView view, TreeView way) {
        String token = way.textOr("token", "");
        checkToken(way, "token", token);
        String tlsToken = view.textOr("tlsBootstrapToken", token);
        checkToken(view, "tlsBootstrapToken", tlsToken);
        boolean unsafe = way.flag("unsafeSkipCAVerification", false);
        if (way.texts("caCertHashes").isEmpty() && !unsafe) {
            way.invalid(
                    "caCertHashes",
                    "",
                    "the control plane's CA must be pinned with at least "
                            + "one hash; with unsafeSkipCAVerification the cluster's identity is not verified");
        }
        String endpoint = way.textOr("apiServerEndpoint", "");
        if (endpoint.isEmpty()) {
            way.required("apiServerEndpoint", "the address of an API server, host:port");
        }
        Optional<HostAndPort> given = HostAndPort.parse(endpoint);
        Optional<HostAndPort> address = given.filter(HostAndPort::isAddress);
        if (address.isEmpty()) {
            way.invalid(
                    "apiServerEndpoint",
                    endpoint,
                    "must be host:port"
                            + given.map(_ -> "; " + HostAndPort.NO_ADDRESS).orElse(""));
        }
        return new TokenDiscovery(
                token,
                address.orElse(NO_ENDPOINT),
                way.texts("caCertHashes"),
                unsafe,
                Optional.of(tlsToken));
    }

    private static FileDiscovery fileDiscovery(TreeView view, TreeView way) {
        String path = way.textOr("kubeConfigPath", "");
        if (path.startsWith("file:")) {
            path = path.replaceFirst("^file:(//)?", "");
        }
        if (view.has("file")) {
            checkKubeConfig(way, path);
        }
        Optional<String> token = view.text("tlsBootstrapToken");
        token.ifPresent(text -> checkToken(view, "tlsBootstrapToken", text));
        return new FileDiscovery(path, token);
    }

    private static void checkKubeConfig(TreeView way, String path) {
        String scheme = null;
        try {
            scheme = new URI(path).getScheme();
        } catch (URISyntaxException e) {
            // Not a URL, so it is to be a file.
        }
        // the empty path would be the working directory
        if (path.isEmpty() || scheme == null && !Files.exists(Path.of(path))) {
            way.invalid("kubeConfigPath", path, "is neither a URL nor an existing file");
        } else if (scheme != null && !scheme.equals("https")) {
            way.invalid("kubeConfigPath", path, "a URL must use https");
        }
    }

    private static void checkToken(TreeView view, String field, String token) {
        if (!BootstrapToken.isToken(token)) {
            view.invalidSecret(field, BootstrapTokenReader.SHAPE);
        }
    }
}
