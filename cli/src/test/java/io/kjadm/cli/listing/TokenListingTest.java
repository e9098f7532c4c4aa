package io.kjadm.cli.listing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.manifests.BootstrapTokenSecret;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

class TokenListingTest {

    private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");
    private static final BootstrapTokenSecret USUAL = new BootstrapTokenSecret(
            "abcdef",
            "0123456789abcdef",
            "for Bob",
            Optional.of(NOW.plus(Duration.ofHours(23))),
            List.of("signing", "authentication"),
            List.of("system:bootstrappers:a"));
    private static final BootstrapTokenSecret BARE = new BootstrapTokenSecret(
            "fedcba", "fedcba9876543210", "", Optional.empty(), List.of(), List.of());

    @Test
    void theTableNamesWhatIsMissing() {
        assertEquals("""
                TOKEN                     TTL         EXPIRES                USAGES                   DESCRIPTION   EXTRA GROUPS
                abcdef.0123456789abcdef   23h         2030-01-01T23:00:00Z   authentication,signing   for Bob       system:bootstrappers:a
                fedcba.fedcba9876543210   <forever>   <never>                <none>                   <none>        <none>
                """, new TokenListing(List.of(USUAL, BARE), NOW).table());
    }

    @Test
    void withoutTokensThereIsNoTable() {
        assertEquals("", new TokenListing(List.of(), NOW).table());
    }

    @Test
    void objectsLeaveOutWhatIsMissing() {
        List<Map<String, Object>> objects = new TokenListing(List.of(USUAL, BARE), NOW).objects();
        assertEquals(
                List.of(
                        "kind",
                        "apiVersion",
                        "token",
                        "description",
                        "expires",
                        "usages",
                        "groups"),
                List.copyOf(objects.getFirst().keySet()));
        assertEquals(
                List.of("kind", "apiVersion", "token"),
                List.copyOf(objects.getLast().keySet()));
        assertEquals("BootstrapToken", objects.getLast().get("kind"));
    }

    @Test
    void secretsAreNotInTheText() {
        assertEquals("TokenListing[1 tokens]", new TokenListing(List.of(USUAL), NOW).toString());
    }

    @ParameterizedTest
    @CsvSource({
        "-1,<invalid>",
        "0,0s",
        "59,59s",
        "60,1m",
        "3599,59m",
        "3600,1h",
        "86399,23h",
        "86400,1d",
        "31535999,364d",
        "31536000,1y"
    })
    void remainingTimeIsInTheLargestUnit(long seconds, String text) {
        assertEquals(text, TokenListing.remaining(Duration.ofSeconds(seconds)));
    }
}
