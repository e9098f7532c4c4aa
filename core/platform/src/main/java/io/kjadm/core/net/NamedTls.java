package io.kjadm.core.net;

import io.kjadm.core.value.IpAddresses;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.List;
import java.util.function.BiFunction;

import javax.net.ssl.KeyManager;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLContextSpi;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocketFactory;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSessionContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;

/**
 * TLS for a server that shows a certificate for another name than it is reached by: that name, and
 * no other, is asked for (SNI) and verified. The JDK's HTTP client knows the name in the URL only,
 * so that the engines it gets stand in between.
 */
final class NamedTls extends SSLContextSpi {

    private final SSLContext real;
    private final String name;
    private final List<SNIServerName> serverNames;

    private NamedTls(SSLContext real, String name) {
        this.real = real;
        this.name = name;
        this.serverNames =
                IpAddresses.parse(name).isPresent() ? List.of() : List.of(new SNIHostName(name));
    }

    /**
     * The same context for the server of that name.
     *
     * @throws IllegalArgumentException if it is neither a DNS name nor an IP address
     */
    static SSLContext of(SSLContext real, String name) {
        return new SSLContext(new NamedTls(real, name), real.getProvider(), real.getProtocol()) {};
    }

    @Override
    protected SSLEngine engineCreateSSLEngine() {
        return new Engine(real.createSSLEngine(name, -1));
    }

    @Override
    protected SSLEngine engineCreateSSLEngine(String host, int port) {
        return new Engine(real.createSSLEngine(name, port));
    }

    @Override
    protected void engineInit(KeyManager[] keys, TrustManager[] trust, SecureRandom random) {
        throw new IllegalStateException("it is initialised");
    }

    @Override
    protected SSLSocketFactory engineGetSocketFactory() {
        throw new UnsupportedOperationException("engines only");
    }

    @Override
    protected SSLServerSocketFactory engineGetServerSocketFactory() {
        throw new UnsupportedOperationException("engines only");
    }

    @Override
    protected SSLSessionContext engineGetServerSessionContext() {
        return real.getServerSessionContext();
    }

    @Override
    protected SSLSessionContext engineGetClientSessionContext() {
        return real.getClientSessionContext();
    }

    @Override
    protected SSLParameters engineGetDefaultSSLParameters() {
        return real.getDefaultSSLParameters();
    }

    @Override
    protected SSLParameters engineGetSupportedSSLParameters() {
        return real.getSupportedSSLParameters();
    }

    /** The real engine, which is told the other name. */
    private final class Engine extends SSLEngine {

        private final SSLEngine engine;

        private Engine(SSLEngine engine) {
            super(engine.getPeerHost(), engine.getPeerPort());
            this.engine = engine;
        }

        @Override
        public void setSSLParameters(SSLParameters parameters) {
            parameters.setServerNames(serverNames);
            engine.setSSLParameters(parameters);
        }

        @Override
        public SSLParameters getSSLParameters() {
            return engine.getSSLParameters();
        }

        @Override
        public SSLEngineResult wrap(ByteBuffer[] from, int offset, int length, ByteBuffer to)
                throws SSLException {
            return engine.wrap(from, offset, length, to);
        }

        @Override
        public SSLEngineResult unwrap(ByteBuffer from, ByteBuffer[] to, int offset, int length)
                throws SSLException {
            return engine.unwrap(from, to, offset, length);
        }

        @Override
        public Runnable getDelegatedTask() {
            return engine.getDelegatedTask();
        }

        @Override
        public void closeInbound() throws SSLException {
            engine.closeInbound();
        }

        @Override
        public boolean isInboundDone() {
            return engine.isInboundDone();
        }

        @Override
        public void closeOutbound() {
            engine.closeOutbound();
        }

        @Override
        public boolean isOutboundDone() {
            return engine.isOutboundDone();
        }

        @Override
        public String[] getSupportedCipherSuites() {
            return engine.getSupportedCipherSuites();
        }

        @Override
        public String[] getEnabledCipherSuites() {
            return engine.getEnabledCipherSuites();
        }

        @Override
        public void setEnabledCipherSuites(String[] suites) {
            engine.setEnabledCipherSuites(suites);
        }

        @Override
        public String[] getSupportedProtocols() {
            return engine.getSupportedProtocols();
        }

        @Override
        public String[] getEnabledProtocols() {
            return engine.getEnabledProtocols();
        }

        @Override
        public void setEnabledProtocols(String[] protocols) {
            engine.setEnabledProtocols(protocols);
        }

        @Override
        public SSLSession getSession() {
            return engine.getSession();
        }

        @Override
        public SSLSession getHandshakeSession() {
            return engine.getHandshakeSession();
        }

        @Override
        public void beginHandshake() throws SSLException {
            engine.beginHandshake();
        }

        @Override
        public HandshakeStatus getHandshakeStatus() {
            return engine.getHandshakeStatus();
        }

        @Override
        public void setUseClientMode(boolean mode) {
            engine.setUseClientMode(mode);
        }

        @Override
        public boolean getUseClientMode() {
            return engine.getUseClientMode();
        }

        @Override
        public void setNeedClientAuth(boolean need) {
            engine.setNeedClientAuth(need);
        }

        @Override
        public boolean getNeedClientAuth() {
            return engine.getNeedClientAuth();
        }

        @Override
        public void setWantClientAuth(boolean want) {
            engine.setWantClientAuth(want);
        }

        @Override
        public boolean getWantClientAuth() {
            return engine.getWantClientAuth();
        }

        @Override
        public void setEnableSessionCreation(boolean flag) {
            engine.setEnableSessionCreation(flag);
        }

        @Override
        public boolean getEnableSessionCreation() {
            return engine.getEnableSessionCreation();
        }

        @Override
        public String getApplicationProtocol() {
            return engine.getApplicationProtocol();
        }

        @Override
        public String getHandshakeApplicationProtocol() {
            return engine.getHandshakeApplicationProtocol();
        }

        @Override
        public void setHandshakeApplicationProtocolSelector(
                BiFunction<SSLEngine, List<String>, String> selector) {
            engine.setHandshakeApplicationProtocolSelector(selector);
        }

        @Override
        public BiFunction<SSLEngine, List<String>, String>
                getHandshakeApplicationProtocolSelector() {
            return engine.getHandshakeApplicationProtocolSelector();
        }
    }
}
