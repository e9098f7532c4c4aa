package io.kjadm.core.flag;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kjadm.core.error.UsageException;
import io.kjadm.etcd.Named;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.Optional;
import java.util.Set;

class CommandFlagsTest {

    private static List<String> list(String... texts) {
        CommandFlags flags = CommandFlags.none();
        for (String text : texts) {
            flags = flags.with(Flag.GROUPS, text);
        }
        return flags.list(Flag.GROUPS);
    }

    @Test
    void aListHasItsItemsBetweenCommasAndMayBeRepeated() {
        assertEquals(List.of("a", "b", "c"), list("a,b", "c"));
        assertEquals(List.of(), list(""));
        assertEquals(List.of("a"), list("a,"));
    }

    @Test
    void anItemInQuotesMayHoldCommasAndQuotes() {
        assertEquals(List.of("a", "b"), list("\"a\",\"b\""));
        assertEquals(List.of("a,b", "c"), list("\"a,b\",c"));
        assertEquals(List.of("say \"hi\""), list("\"say \"\"hi\"\"\""));
        assertEquals(List.of("a"), list("\"\",a"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\"b", "\"a", "\"a\"b", "\"a\" ,b", "a,\""})
    void quotesThatDoNotFitAreRefused(String text) {
        UsageException refused = assertThrows(UsageException.class, () -> list(text));
        assertEquals(Set.of("--groups"), Named.flags(refused.what()), refused.what());
    }

    @Test
    void pairsAreTakenAsTheyAre() {
        assertEquals(
                List.of("a=\"b\"", "c=d"),
                CommandFlags.none()
                        .with(Flag.APISERVER_EXTRA_ARGS, "a=\"b\",c=d")
                        .pairs(Flag.APISERVER_EXTRA_ARGS));
    }

    @Test
    void aRevisionMayBeLarge() {
        CommandFlags flags = CommandFlags.none().with(Flag.BUMP_REVISION, "3000000000");
        assertEquals(Optional.of(3_000_000_000L), flags.large(Flag.BUMP_REVISION));
        assertThrows(UsageException.class, () -> flags.number(Flag.BUMP_REVISION));
        assertThrows(
                UsageException.class,
                () -> flags.with(Flag.BUMP_REVISION, "-1").large(Flag.BUMP_REVISION));
    }

    @Test
    void whatSaysHowToRunStandsBesideAFile() {
        assertDoesNotThrow(CommandFlags.none()
                .with(Flag.CONFIG, "f")
                .with(Flag.ALLOW_DEGRADED, "true")
                .with(Flag.FORCE_LAST_MEMBER, "true")
                .with(Flag.SKIP_PHASES, "addon")::requireBesideConfig);
    }

    @Test
    void whatSaysWhatToMakeDoesNot() {
        CommandFlags mixed =
                CommandFlags.none().with(Flag.CONFIG, "f").with(Flag.CERTIFICATE_KEY, "k");
        UsageException refused = assertThrows(UsageException.class, mixed::requireBesideConfig);
        assertEquals(
                Set.of("--certificate-key", "--config"),
                Named.flags(refused.what()),
                refused.what());
    }
}
