package io.kjadm.core.token;

import static io.kjadm.core.error.Reasons.assertReason;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.SecretListBuilder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.kube.KubeApiException.Kind;
import io.kjadm.core.kube.KubeCalls;
import io.kjadm.core.kube.MemoryKubeApi;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.core.phase.SystemWaiter;
import io.kjadm.core.token.BootstrapTokenStore.Absent;
import io.kjadm.etcd.CommonReason;
import io.kjadm.manifests.BootstrapTokenSecret;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

class BootstrapTokenStoreTest {

    private static final String SECRET = "0123456789abcdef";

    private final MemoryKubeApi api = new MemoryKubeApi();
    private final BootstrapTokenStore store =
            new BootstrapTokenStore(api, calls(Duration.ofSeconds(10)));

    @Test
    void aCreatedTokenIsASecretOfItsType() {
        store.create(token("abcdef", SECRET));
        Secret secret =
                api.get(Secret.class, "kube-system", "bootstrap-token-abcdef").orElseThrow();
        assertEquals("bootstrap.kubernetes.io/token", secret.getType());
        assertEquals(token("abcdef", SECRET), BootstrapTokenSecret.from(secret));
    }

    @Test
    void anExistingIdIsRefusedAndLeftAsItIs() {
        store.create(token("abcdef", SECRET));
        ClusterException refusal = assertThrows(
                ClusterException.class, () -> store.create(token("abcdef", "fedcba9876543210")));
        assertEquals("a token with this id exists", refusal.why());
        assertEquals(List.of(token("abcdef", SECRET)), list(warning -> {}));
    }

    @Test
    void theSameTokenTwiceIsRefusedToo() {
        store.create(token("abcdef", SECRET));
        assertReason(
                CommonReason.EXISTS,
                ClusterException.class,
                () -> store.create(token("abcdef", SECRET)));
    }

    @Test
    void aServerThatCannotAnswerForNowIsAskedAgain() {
        api.failing(1, Kind.UNREACHABLE).answering(1).failing(1, Kind.UNAVAILABLE);
        store.create(token("abcdef", SECRET));
        assertEquals(List.of("create Secret kube-system/bootstrap-token-abcdef"), api.writes());
    }

    @Test
    void aLostAnswerOfTheCreationIsNotTakenForSomebodyElsesToken() {
        api.losingNextCreateAnswer();
        store.create(token("abcdef", SECRET));
        assertEquals(1, api.objects().size());
    }

    @Test
    void aServerThatForbidsIsNotAskedAgain() {
        api.failing(1, Kind.FORBIDDEN);
        assertThrows(ClusterException.class, () -> store.create(token("abcdef", SECRET)));
        assertEquals(List.of(), api.calls());
    }

    @Test
    void aServerThatStaysAwayEndsTheCreationAtTheLimit() {
        BootstrapTokenStore impatient =
                new BootstrapTokenStore(api.down(Kind.UNREACHABLE), calls(Duration.ZERO));
        assertReason(
                CommonReason.TIMED_OUT,
                ClusterException.class,
                () -> impatient.create(token("abcdef", SECRET)));
    }

    @Test
    void theListIsSortedAndHasTokensOnly() {
        store.create(token("bbbbbb", SECRET));
        store.create(token("aaaaaa", SECRET));
        api.with(secret("kubeadm-certs", "Opaque", Map.of()));
        assertEquals(
                List.of("aaaaaa", "bbbbbb"),
                list(warning -> {}).stream().map(BootstrapTokenSecret::id).toList());
    }

    @Test
    void aBrokenTokenIsLeftOutWithAWarningThatKeepsTheSecret() {
        store.create(token("aaaaaa", SECRET));
        api.with(secret(
                "bootstrap-token-bbbbbb",
                BootstrapTokenSecret.TYPE,
                Map.of("token-id", "Y2NjY2Nj", "token-secret", "MDEyMzQ1Njc4OWFiY2RlZg==")));
        List<String> warnings = new ArrayList<>();
        assertEquals(1, list(warnings::add).size());
        assertEquals(1, warnings.size());
        assertEquals(
                "Secret bootstrap-token-bbbbbb is left out: Secret bootstrap-token-bbbbbb has to be named bootstrap-token-cccccc after its token",
                warnings.getFirst());
        assertFalse(warnings.getFirst().contains(SECRET), warnings.getFirst());
    }

    @Test
    void listingAsksOnce() {
        api.failing(1, Kind.UNREACHABLE);
        assertThrows(ClusterException.class, () -> store.list(warning -> {}));
    }

    @Test
    void aDeletedTokenIsGone() {
        store.create(token("abcdef", SECRET));
        store.delete(new TokenId("abcdef"), Absent.REFUSED);
        assertEquals(List.of(), api.objects());
    }

    @Test
    void deletingWhatIsNotThereIsRefused() {
        ClusterException refusal = assertThrows(
                ClusterException.class, () -> store.delete(new TokenId("abcdef"), Absent.REFUSED));
        assertEquals("could not delete bootstrap token abcdef", refusal.what());
    }

    @Test
    void deletingWhatIsNotThereMayBePassedOver() {
        store.delete(new TokenId("abcdef"), Absent.PASSED_OVER);
        assertEquals(List.of("delete Secret kube-system/bootstrap-token-abcdef"), api.calls());
    }

    @Test
    void onlyTokensAreAskedFor() {
        list(warning -> {});
        assertEquals(
                List.of("raw /api/v1/namespaces/kube-system/secrets"
                        + "?fieldSelector=type%3Dbootstrap.kubernetes.io%2Ftoken"),
                api.calls());
    }

    @Test
    void anAnswerThatIsNoListIsNoInternalError() {
        api.withPage(BootstrapTokenStore.LIST, "{\"items\": \"none\"}");
        assertThrows(ClusterException.class, () -> store.list(warning -> {}));
    }

    /** With the server's answer made of what it has. */
    private List<BootstrapTokenSecret> list(Consumer<String> warnings) {
        List<Secret> secrets = api.objects().stream().map(Secret.class::cast).toList();
        api.withPage(
                BootstrapTokenStore.LIST,
                new KubernetesSerialization()
                        .asJson(new SecretListBuilder().withItems(secrets).build()));
        return store.list(warnings);
    }

    private static BootstrapTokenSecret token(String id, String secret) {
        return new BootstrapTokenSecret(
                id,
                secret,
                "for a test",
                Optional.of(Instant.parse("2030-01-02T03:04:05Z")),
                List.of("authentication", "signing"),
                List.of("system:bootstrappers:kubeadm:default-node-token"));
    }

    private static Secret secret(String name, String type, Map<String, String> data) {
        return new SecretBuilder()
                .withNewMetadata()
                .withNamespace("kube-system")
                .withName(name)
                .endMetadata()
                .withType(type)
                .withData(data)
                .build();
    }

    private static KubeCalls calls(Duration limit) {
        return new KubeCalls(
                new SystemWaiter(InstantSource.system(), new RecordingReporter()), limit);
    }
}
