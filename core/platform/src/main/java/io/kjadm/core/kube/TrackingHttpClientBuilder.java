package io.kjadm.core.kube;

import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.ProxySelector;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;

/**
 * A builder that shows the client which it builds to somebody who ends it. fabric8 forgets its JDK
 * client without ending it: the thread that waits for the network lives on, and a JVM that exits
 * waits 0.3 s for a thread in native code ({@code VM_Exit::wait_for_threads_in_native_to_block}).
 */
record TrackingHttpClientBuilder(HttpClient.Builder builder, Consumer<HttpClient> built)
        implements HttpClient.Builder {

    @Override
    public HttpClient build() {
        HttpClient client = builder.build();
        built.accept(client);
        return client;
    }

    @Override
    public HttpClient.Builder cookieHandler(CookieHandler handler) {
        builder.cookieHandler(handler);
        return this;
    }

    @Override
    public HttpClient.Builder connectTimeout(Duration limit) {
        builder.connectTimeout(limit);
        return this;
    }

    @Override
    public HttpClient.Builder sslContext(SSLContext context) {
        builder.sslContext(context);
        return this;
    }

    @Override
    public HttpClient.Builder sslParameters(SSLParameters parameters) {
        builder.sslParameters(parameters);
        return this;
    }

    @Override
    public HttpClient.Builder executor(Executor executor) {
        builder.executor(executor);
        return this;
    }

    @Override
    public HttpClient.Builder followRedirects(HttpClient.Redirect policy) {
        builder.followRedirects(policy);
        return this;
    }

    @Override
    public HttpClient.Builder version(HttpClient.Version version) {
        builder.version(version);
        return this;
    }

    @Override
    public HttpClient.Builder priority(int priority) {
        builder.priority(priority);
        return this;
    }

    @Override
    public HttpClient.Builder proxy(ProxySelector selector) {
        builder.proxy(selector);
        return this;
    }

    @Override
    public HttpClient.Builder authenticator(Authenticator authenticator) {
        builder.authenticator(authenticator);
        return this;
    }
}
