package io.kjadm.core.kube;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientFactory;
import io.kjadm.core.kube.KubeAccess.Credential;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;

/** Connects with the fabric8 client over the JDK's HTTP client. */
public final class Fabric8Connector implements KubeConnector {

    /** Limit of one request, as in every client kubeadm builds (reference 01 §8). */
    private static final Duration REQUEST_LIMIT = Duration.ofSeconds(10);

    private final HttpClient.Factory http = new JdkHttpClientFactory();

    @Override
    public KubeApi connect(KubeAccess access) {
        return new Fabric8Api(new KubernetesClientBuilder()
                .withHttpClientFactory(http)
                .withConfig(config(access))
                .build());
    }

    private static Config config(KubeAccess access) {
        // nothing of the environment (in-cluster accounts, ~/.kube/config) may leak into the client
        ConfigBuilder config = new ConfigBuilder(Config.empty())
                .withAutoConfigure(false)
                .withMasterUrl(access.server().toString())
                .withRequestTimeout((int) REQUEST_LIMIT.toMillis())
                .withConnectionTimeout((int) REQUEST_LIMIT.toMillis())
                .withRequestRetryBackoffLimit(0)
                // behind a balancer, an HTTP/2 connection stays with one server however often it
                // fails to answer; of HTTP/1.1 a request that timed out takes its connection with
                // it, and the next try may reach another
                .withHttp2Disable(true)
                .withUserAgent("kjadm");
        access.caPem().ifPresent(ca -> config.withCaCertData(base64(ca)));
        if (access.caPem().isEmpty() && access.credential() instanceof Credential.Anonymous) {
            // token discovery: nothing is given away, and the answer carries its own signature
            config.withTrustCerts(true).withDisableHostnameVerification(true);
        }
        switch (access.credential()) {
            case Credential.Anonymous() -> { }
            case Credential.Token(String token) -> config.withOauthToken(token);
            case Credential.ClientCertificate(String certificate, String key) -> config
                    .withClientCertData(base64(certificate))
                    .withClientKeyData(base64(key))
                    .withClientKeyAlgo(key.contains("BEGIN EC PRIVATE KEY") ? "EC" : "RSA");
        }
        return config.build();
    }

    private static String base64(String pem) {
        return Base64.getEncoder().encodeToString(pem.getBytes(StandardCharsets.UTF_8));
    }
}
