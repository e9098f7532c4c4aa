package io.kjadm.core.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.UsageException;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.net.FakeHost;
import io.kjadm.etcd.Named;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

class TokenRequestTest {

    private static final String TOKEN = "abcdef.0123456789abcdef";

    @Test
    void withoutFlagsATokenIsMadeUpAndLivesForADay() {
        BootstrapToken token =
                only(TokenRequest.of(CommandFlags.none(), Optional.empty(), warning -> {}));
        assertTrue(BootstrapToken.isToken(token.token()));
        assertEquals(Optional.of(Duration.ofHours(24)), token.ttl());
        assertEquals(BootstrapToken.DEFAULT_USAGES, token.usages());
        assertEquals(BootstrapToken.DEFAULT_GROUPS, token.groups());
        assertEquals(Optional.empty(), token.description());
        assertNotEquals(
                token.token(),
                only(TokenRequest.of(CommandFlags.none(), Optional.of(""), warning -> {}))
                        .token());
    }

    @Test
    void flagsSayEverything() {
        CommandFlags flags = CommandFlags.none()
                .with(Flag.TTL, "0")
                .with(Flag.DESCRIPTION, "for Bob")
                .with(Flag.USAGES, "authentication")
                .with(Flag.GROUPS, "system:bootstrappers:a,system:bootstrappers:b")
                .with(Flag.CERTIFICATE_KEY, "ab".repeat(32));
        TokenRequest request = TokenRequest.of(flags, Optional.of(TOKEN), warning -> {});
        BootstrapToken token = only(request);
        assertEquals(TOKEN, token.token());
        assertEquals(Optional.of(Duration.ZERO), token.ttl());
        assertEquals(Optional.of("for Bob"), token.description());
        assertEquals(List.of("authentication"), token.usages());
        assertEquals(List.of("system:bootstrappers:a", "system:bootstrappers:b"), token.groups());
        assertEquals(Optional.of("ab".repeat(32)), request.certificateKey());
        assertEquals("TokenRequest[1 tokens]", request.toString());
    }

    @Test
    void wrongFlagsAreNamedTogether() {
        CommandFlags flags = CommandFlags.none()
                .with(Flag.USAGES, "cooking")
                .with(Flag.CERTIFICATE_KEY, "short");
        UsageException refusal = assertThrows(
                UsageException.class,
                () -> TokenRequest.of(flags, Optional.empty(), warning -> {}));
        assertEquals(
                Set.of("--certificate-key", "--usages"), Named.flags(refusal.why()), refusal.why());
    }

    @Test
    void aWrongDurationIsRefused() {
        assertThrows(
                UsageException.class,
                () -> TokenRequest.of(
                        CommandFlags.none().with(Flag.TTL, "1 day"),
                        Optional.empty(),
                        warning -> {}));
    }

    @Test
    void aNegativeTimeIsRefused() {
        assertThrows(
                UsageException.class,
                () -> TokenRequest.of(
                        CommandFlags.none().with(Flag.TTL, "-1h"),
                        Optional.empty(),
                        warning -> {}));
    }

    @Test
    void aWrongTokenIsRefusedWithoutBeingRepeated() {
        UsageException refusal = assertThrows(
                UsageException.class,
                () -> TokenRequest.of(
                        CommandFlags.none(),
                        Optional.of("abcdef.0123456789ABCDEF"),
                        warning -> {}));
        assertEquals(
                "the given token is not valid: a token is 6 characters, a dot and 16 characters"
                        + " out of a-z and 0-9; kjadm token generate prints one that is",
                refusal.getMessage());
    }

    @Test
    void aFileMayNameSeveralTokensAndLooksNothingUp() {
        FakeHost host = new FakeHost();
        ConfigurationFile file = ConfigurationFile.of("f", """
                apiVersion: kubeadm.k8s.io/v1beta4
                kind: InitConfiguration
                bootstrapTokens:
                - token: abcdef.0123456789abcdef
                - description: made up
                """);
        List<BootstrapToken> tokens = TokenRequest.of(
                        file, CommandFlags.none(), new ConfigurationLoader(host, warning -> {}))
                .tokens();
        assertEquals(TOKEN, tokens.getFirst().token());
        assertTrue(BootstrapToken.isToken(tokens.getLast().token()));
        assertEquals(List.of(), host.fetched);
    }

    @Test
    void flagsThatSayWhatToMakeDoNotGoWithAFile() {
        ConfigurationFile file = ConfigurationFile.of(
                "f", "apiVersion: kubeadm.k8s.io/v1beta4\nkind: InitConfiguration\n");
        assertThrows(
                UsageException.class,
                () -> TokenRequest.of(
                        file,
                        CommandFlags.none().with(Flag.TTL, "1h"),
                        new ConfigurationLoader(new FakeHost(), warning -> {})));
    }

    private static BootstrapToken only(TokenRequest request) {
        assertEquals(1, request.tokens().size());
        return request.tokens().getFirst();
    }
}
