package io.kjadm.e2e.sandbox;

import com.fasterxml.jackson.databind.JsonNode;

import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.pkcs.PKCS10CertificationRequest;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Stands in for kube-controller-manager: approves and signs the kubelets' certificate requests,
 * signs {@code cluster-info} for every bootstrap token that may sign, and gives nodes their part of
 * the pods' addresses.
 */
public final class StandInControllerManager {
    private static final String REQUESTS =
            "/apis/certificates.k8s.io/v1/certificatesigningrequests";
    private static final String CLUSTER_INFO =
            "/api/v1/namespaces/kube-public/configmaps/cluster-info";
    private static final long INTERVAL_MILLIS = 1_000;
    /** Between two looks at all objects, even if none seems to have changed. */
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(15);

    private static final String SECRETS = "/api/v1/namespaces/kube-system/secrets";

    private final ApiClient api;
    private final X509Certificate authority;
    private final PrivateKey authorityKey;

    private StandInControllerManager(
            ApiClient api, X509Certificate authority, PrivateKey authorityKey) {
        this.api = api;
        this.authority = authority;
        this.authorityKey = authorityKey;
    }

    public static void main(String... words) throws IOException, InterruptedException {
        StandIns.endAsComponents();
        var flags = new Flags(words);
        HealthServer.https(flags.port(10257), "kube-controller-manager");
        var api = new ApiClient(Path.of(flags.get("kubeconfig")));
        var subnets = new NodeSubnets(api, flags);
        var lease = new LeaderLease(api, "kube-controller-manager");
        var manager = new StandInControllerManager(
                api,
                Tls.certificates(Tls.read(flags.get("cluster-signing-cert-file")))
                        .iterator()
                        .next(),
                Tls.key(Tls.read(flags.get("cluster-signing-key-file"))));
        long done = 0;
        var acted = Instant.EPOCH;
        while (true) {
            try {
                var now = Instant.now();
                if (lease.leads()) {
                    var changed = manager.lastChange();
                    // a restored etcd counts its revisions from an earlier one again
                    if (changed != done || now.isAfter(acted.plus(LONGEST_PAUSE))) {
                        manager.signRequests();
                        manager.signClusterInfo();
                        subnets.give();
                        done = changed;
                        acted = now;
                    }
                }
            } catch (IOException notNow) {
                System.out.println("the API server does not serve: " + notNow.getMessage());
            } catch (GeneralSecurityException | OperatorCreationException e) {
                e.printStackTrace();
            }
            Thread.sleep(INTERVAL_MILLIS);
        }
    }

    private long lastChange() throws IOException {
        return api.get(StandInApiServer.LAST_CHANGE)
                .orElseThrow()
                .path("revision")
                .asLong();
    }

    private void signRequests() throws IOException, OperatorCreationException {
        var requests = api.get(REQUESTS).orElseThrow();
        for (var item : requests.path("items")) {
            if (mayHaveOne(item.path("spec"))
                    && item.path("status").path("certificate").asText("").isEmpty()) {
                var status = Json.object();
                status.withArray("/status/conditions")
                        .addObject()
                        .put("type", "Approved")
                        .put("status", "True")
                        .put("reason", "AutoApproved");
                status.withObject("/status")
                        .put(
                                "certificate",
                                Base64.getEncoder()
                                        .encodeToString(sign(item.path("spec")
                                                        .path("request")
                                                        .asText())
                                                .getBytes(StandardCharsets.US_ASCII)));
                api.patch(
                        REQUESTS + "/" + item.path("metadata").path("name").asText() + "/status",
                        status);
            }
        }
    }

    /** Those whom the cluster roles of a new cluster have approved without being asked. */
    private static boolean mayHaveOne(JsonNode request) {
        for (var group : request.path("groups")) {
            if (group.asText().startsWith("system:bootstrappers")) {
                return true;
            }
        }
        return request.path("username").asText().startsWith("system:node:");
    }

    private String sign(String requestBase64) throws IOException, OperatorCreationException {
        var pem = new String(Base64.getDecoder().decode(requestBase64), StandardCharsets.US_ASCII);
        PKCS10CertificationRequest request;
        try (var parser = new PEMParser(new java.io.StringReader(pem))) {
            request = (PKCS10CertificationRequest) parser.readObject();
        }
        var now = Instant.now();
        var builder = new X509v3CertificateBuilder(
                X500Name.getInstance(authority.getSubjectX500Principal().getEncoded()),
                new BigInteger(64, new SecureRandom()),
                Date.from(now.minusSeconds(300)),
                Date.from(now.plus(Duration.ofDays(365))),
                request.getSubject(),
                request.getSubjectPublicKeyInfo());
        builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature));
        builder.addExtension(
                Extension.extendedKeyUsage,
                false,
                new ExtendedKeyUsage(KeyPurposeId.id_kp_clientAuth));
        var algorithm =
                authorityKey.getAlgorithm().equals("RSA") ? "SHA256withRSA" : "SHA256withECDSA";
        var holder = builder.build(new JcaContentSignerBuilder(algorithm).build(authorityKey));
        return "-----BEGIN CERTIFICATE-----\n"
                + Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII))
                        .encodeToString(holder.getEncoded())
                + "\n-----END CERTIFICATE-----\n";
    }

    /** Adds a detached JWS for each signing token that has none that fits. */
    private void signClusterInfo() throws IOException, GeneralSecurityException {
        var info = api.get(CLUSTER_INFO);
        if (info.isEmpty()) {
            return;
        }
        var payload = info.get().path("data").path("kubeconfig").asText();
        var patch = Json.object();
        for (var secret : api.get(SECRETS).orElseThrow().path("items")) {
            if (!secret.path("type").asText().equals("bootstrap.kubernetes.io/token")
                    || !text(secret, "usage-bootstrap-signing").equals("true")) {
                continue;
            }
            var id = text(secret, "token-id");
            var signature = jws(id, text(secret, "token-secret"), payload);
            if (!info.get().path("data").path("jws-kubeconfig-" + id).asText().equals(signature)) {
                patch.withObject("/data").put("jws-kubeconfig-" + id, signature);
            }
        }
        if (!patch.isEmpty()) {
            api.patch(CLUSTER_INFO, patch);
        }
    }

    private static String jws(String id, String secret, String payload)
            throws GeneralSecurityException {
        var header = url("{\"alg\":\"HS256\",\"kid\":\"" + id + "\"}");
        var mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
        var signed = mac.doFinal((header + "." + url(payload)).getBytes(StandardCharsets.US_ASCII));
        return header + ".." + Base64.getUrlEncoder().withoutPadding().encodeToString(signed);
    }

    private static String url(String text) {
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String text(JsonNode secret, String field) {
        return new String(
                Base64.getDecoder().decode(secret.path("data").path(field).asText("")),
                StandardCharsets.UTF_8);
    }
}
