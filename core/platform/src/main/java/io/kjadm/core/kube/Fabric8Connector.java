package io.kjadm.core.kube;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.BasicBuilder;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.Interceptor;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientFactory;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientImpl;
import io.kjadm.core.error.Causes;
import io.kjadm.core.error.HostException;
import io.kjadm.core.host.PemTls;
import io.kjadm.core.kube.KubeAccess.Credential;
import io.kjadm.core.net.ClientTls;
import io.kjadm.core.net.HttpProxy;
import io.kjadm.core.net.Outbound;
import io.kjadm.core.net.ProxyEnvironment;
import io.kjadm.core.net.ServerTrust;
import io.kjadm.pki.PkiException;
import io.kjadm.pki.PrivateKeyPem;

import java.io.IOException;
import java.net.http.HttpClient;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;

/** Connects with the fabric8 client over the JDK's HTTP client. */
public final class Fabric8Connector implements KubeConnector {

    /** Limit of one request, as in every client kubeadm builds. */
    private static final Duration REQUEST_LIMIT = Duration.ofSeconds(10);

    private static final String USER_AGENT = "kjadm";

    private static final InstantSource CLOCK = InstantSource.system();

    private final Map<String, String> environment;
    private final Consumer<String> warnings;
    private final Duration limit;
    private final String userAgent;

    /** @param environment which names the proxy, and may say where this machine's CAs are */
    public Fabric8Connector(Map<String, String> environment, Consumer<String> warnings) {
        this(environment, warnings, REQUEST_LIMIT);
    }

    /** @param userAgent the name under which servers see this client, in their audit logs too */
    public Fabric8Connector(
            Map<String, String> environment, Consumer<String> warnings, String userAgent) {
        this(environment, warnings, REQUEST_LIMIT, userAgent);
    }

    Fabric8Connector(Map<String, String> environment, Consumer<String> warnings, Duration limit) {
        this(environment, warnings, limit, USER_AGENT);
    }

    private Fabric8Connector(
            Map<String, String> environment,
            Consumer<String> warnings,
            Duration limit,
            String userAgent) {
        this.environment = environment;
        this.warnings = warnings;
        this.limit = limit;
        this.userAgent = userAgent;
    }

    @Override
    public KubeApi connect(KubeAccess access) {
        if (access.trust() instanceof ServerTrust.Skipped) {
            warnings.accept(
                    "%s is not verified, since the kubeconfig says insecure-skip-tls-verify: the connection can be intercepted and changed"
                            .formatted(access.server()));
        }
        Optional<PluginSession> plugin = access.credential() instanceof Credential.Plugin named
                ? Optional.of(new PluginSession(named, access, atTerminal(), CLOCK))
                : Optional.empty();
        Outbound outbound = new Outbound(tls(access, plugin), proxy(access));
        return new Fabric8Api(
                new KubernetesClientBuilder()
                        .withHttpClientFactory(new Http(outbound))
                        .withHttpClientBuilderConsumer(http -> {
                            http.addOrReplaceInterceptor("LENGTH", new AnswerLimit());
                            outbound.proxy()
                                    .flatMap(HttpProxy::authorization)
                                    .ifPresent(value -> http.addOrReplaceInterceptor(
                                            "PROXY", new ProxyCredentials(value)));
                        })
                        .withConfig(config(access, plugin))
                        .build(),
                limit,
                plugin);
    }

    /** The HTTP client as fabric8 would have it, but for whom to trust and which way to go. */
    private static final class Http extends JdkHttpClientFactory {

        private final Outbound outbound;
        private final List<HttpClient> built = new CopyOnWriteArrayList<>();

        private Http(Outbound outbound) {
            this.outbound = outbound;
        }

        @Override
        protected HttpClient.Builder createNewHttpClientBuilder() {
            return new TrackingHttpClientBuilder(outbound.builder(), built::add);
        }

        @Override
        protected void closeHttpClient(JdkHttpClientImpl closed) {
            built.forEach(HttpClient::shutdownNow);
            super.closeHttpClient(closed);
        }

        /** Called last: nothing that fabric8 prepared counts. */
        @Override
        protected void additionalConfig(HttpClient.Builder builder) {
            outbound.configure(builder);
        }
    }

    /** Tells the proxy who asks; the JDK keeps it from the server behind. */
    private record ProxyCredentials(String value) implements Interceptor {
        @Override
        public void before(BasicBuilder builder, HttpRequest request, RequestTags tags) {
            builder.setHeader(Outbound.PROXY_AUTHORIZATION, value);
        }

        @Override
        public String toString() {
            return "ProxyCredentials[withheld]";
        }
    }

    private Config config(KubeAccess access, Optional<PluginSession> plugin) {
        // nothing of the environment (in-cluster accounts, ~/.kube/config) may leak into the client
        ConfigBuilder config = new ConfigBuilder(Config.empty())
                .withAutoConfigure(false)
                .withMasterUrl(access.server().toString())
                .withRequestTimeout((int) limit.toMillis())
                .withConnectionTimeout((int) limit.toMillis())
                .withRequestRetryBackoffLimit(0)
                // behind a balancer, an HTTP/2 connection stays with one server however often it
                // fails to answer; of HTTP/1.1 a request that timed out takes its connection with
                // it, and the next try may reach another
                .withHttp2Disable(true)
                // fabric8 adds every CA of the JDK to one that it is given; its TLS is replaced as
                // a whole, and this keeps it from reading those CAs for nothing
                .withTrustCerts(true)
                .withUserAgent(userAgent);
        switch (access.credential()) {
            case Credential.Anonymous _, Credential.ClientCertificate _ -> {}
            case Credential.Token(String token) -> config.withOauthToken(token);
            case Credential.Password(String username, String password) ->
                config.withUsername(username).withPassword(password);
            case Credential.Plugin named ->
                config.withOauthTokenProvider(
                        () -> plugin.flatMap(session -> session.current().token())
                                .map(Credential.Token::token)
                                .orElse(null));
        }
        return config.build();
    }

    private Optional<HttpProxy> proxy(KubeAccess access) {
        try {
            return access.proxyUrl().isPresent()
                    ? Optional.of(HttpProxy.parse(access.proxyUrl().get()))
                    : new ProxyEnvironment(environment).proxyFor(access.server());
        } catch (IOException e) {
            throw new HostException(
                    "the proxy for %s cannot be used".formatted(access.server()),
                    Causes.words(e),
                    access.proxyUrl().isPresent()
                            ? "correct proxy-url in the kubeconfig"
                            : "correct HTTPS_PROXY, or add the server to NO_PROXY",
                    e);
        }
    }

    private static boolean atTerminal() {
        return System.console() != null && System.console().isTerminal();
    }

    private SSLContext tls(KubeAccess access, Optional<PluginSession> plugin) {
        KeyManager[] keys = keys(access, plugin);
        try {
            SSLContext context = ClientTls.context(access.trust(), keys, environment);
            return access.tlsServerName().isPresent()
                    ? ClientTls.named(context, access.tlsServerName().get())
                    : context;
        } catch (GeneralSecurityException | IOException e) {
            throw new HostException(
                    "%s cannot be verified".formatted(access.server()),
                    Causes.words(e),
                    "correct certificate-authority(-data) and tls-server-name in the kubeconfig",
                    e);
        }
    }

    private static KeyManager[] keys(KubeAccess access, Optional<PluginSession> plugin) {
        Optional<Credential.ClientCertificate> own =
                access.credential() instanceof Credential.ClientCertificate given
                        ? Optional.of(given)
                        : plugin.flatMap(session -> session.current().certificate());
        if (own.isEmpty()) {
            return new KeyManager[0];
        }
        try {
            return PemTls.keys(
                    own.get().certificatePem(), PrivateKeyPem.toPkcs8(own.get().keyPem()));
        } catch (GeneralSecurityException | IOException | PkiException e) {
            throw new HostException(
                    "the client certificate for %s cannot be used".formatted(access.server()),
                    Causes.words(e),
                    "give a certificate and its key in PEM, the key without a passphrase",
                    e);
        }
    }

    /** Ends answers that are longer than anything this program asks for. */
    private static final class AnswerLimit implements Interceptor {

        /** An object has 1.5 MiB at most, and the lists that are asked for are short. */
        static final long LONGEST = 32L << 20;

        @Override
        public AsyncBody.Consumer<List<ByteBuffer>> consumer(
                AsyncBody.Consumer<List<ByteBuffer>> consumer, HttpRequest request) {
            return new AsyncBody.Consumer<>() {
                private long seen;

                @Override
                public void consume(List<ByteBuffer> part, AsyncBody body) throws Exception {
                    seen += part.stream().mapToLong(ByteBuffer::remaining).sum();
                    if (seen > LONGEST) {
                        throw new IOException(
                                "the answer is longer than %d MiB".formatted(LONGEST >> 20));
                    }
                    consumer.consume(part, body);
                }

                @Override
                public <U> U unwrap(Class<U> target) {
                    return consumer.unwrap(target);
                }
            };
        }
    }
}
