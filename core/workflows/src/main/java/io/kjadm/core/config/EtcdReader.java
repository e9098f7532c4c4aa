package io.kjadm.core.config;

import io.kjadm.core.host.KubernetesPaths;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Reads where the cluster keeps its state. */
final class EtcdReader {

    /** A host, an IPv6 address in brackets, and a port of digits, as Go reads them. */
    private static final Pattern AUTHORITY =
            Pattern.compile("(?:[^@]*@)?(?:\\[[^\\[\\]]*\\]|[^:\\[\\]]*)(?::[0-9]*)?");

    private EtcdReader() {}

    static Etcd read(TreeView view) {
        if (view.has("local") && view.has("external")) {
            view.invalid(
                    "", List.of("local", "external"), "local and external are mutually exclusive");
            return LocalEtcd.DEFAULTS;
        }
        return view.has("external")
                ? external(view.object("external"))
                : local(view.object("local"));
    }

    private static LocalEtcd local(TreeView view) {
        Optional<String> repository = view.text("imageRepository");
        ClusterReader.checkRepository(view, repository);
        return new LocalEtcd(
                view.absolutePath("dataDir").orElse(KubernetesPaths.ETCD_DATA_DIR),
                repository,
                view.text("imageTag"),
                CommonReader.args(view, "extraArgs"),
                CommonReader.envs(view),
                ClusterReader.certSans(view, "serverCertSANs", view.texts("serverCertSANs")),
                ClusterReader.certSans(view, "peerCertSANs", view.texts("peerCertSANs")));
    }

    private static ExternalEtcd external(TreeView view) {
        boolean tls = view.text("caFile").isPresent()
                || view.text("certFile").isPresent()
                || view.text("keyFile").isPresent();
        List<URI> endpoints = urls(view, "endpoints", tls);
        if (view.texts("endpoints").isEmpty()) {
            view.invalid("endpoints", List.of(), "at least one endpoint is needed");
        }
        checkPair(view);
        return new ExternalEtcd(
                endpoints,
                view.texts("httpEndpoints").isEmpty()
                        ? endpoints
                        : urls(view, "httpEndpoints", false),
                view.absolutePath("caFile"),
                view.absolutePath("certFile"),
                view.absolutePath("keyFile"));
    }

    private static void checkPair(TreeView view) {
        boolean cert = view.text("certFile").isPresent();
        boolean key = view.text("keyFile").isPresent();
        if (cert != key) {
            view.invalid(
                    cert ? "certFile" : "keyFile",
                    view.textOr(cert ? "certFile" : "keyFile", ""),
                    "certFile and keyFile must be given together, or neither of them");
        } else if (cert && view.text("caFile").isEmpty()) {
            view.invalid("caFile", "", "caFile is needed with certFile and keyFile");
        }
    }

    private static List<URI> urls(TreeView view, String field, boolean tls) {
        List<URI> urls = new ArrayList<>();
        for (String text : view.texts(field)) {
            try {
                URI url = new URI(text);
                // A host before a port reads like a scheme; only an authority tells them apart.
                if (url.getScheme() == null || url.getRawAuthority() == null) {
                    view.invalid(field, text, "must be a URL with a scheme");
                } else if (!AUTHORITY.matcher(url.getRawAuthority()).matches()) {
                    view.invalid(field, text, "must be one URL with a host and a numeric port");
                } else if (tls && !url.getScheme().equals("https")) {
                    view.invalid(field, text, "must use https, since certificates are given");
                }
                urls.add(url);
            } catch (URISyntaxException e) {
                view.invalid(field, text, "must be a URL: " + e.getReason());
            }
        }
        return urls;
    }
}
