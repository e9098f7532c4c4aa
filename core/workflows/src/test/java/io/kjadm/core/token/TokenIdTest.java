package io.kjadm.core.token;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kjadm.core.error.UsageException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TokenIdTest {

    @Test
    void anIdIsTakenAsItIs() {
        assertEquals("abc123", TokenId.of("abc123").text());
    }

    @Test
    void aTokenGivesItsId() {
        assertEquals("abc123", TokenId.of("abc123.0123456789abcdef").text());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ".",
                "abc12",
                "abc1234",
                "ABC123",
                "abc123.",
                "abc123.0123456789abcde",
                "abc12.0123456789abcdef"
            })
    void anythingElseIsRefused(String text) {
        assertThrows(UsageException.class, () -> TokenId.of(text));
    }

    @Test
    void aRefusalDoesNotRepeatTheSecret() {
        UsageException refusal =
                assertThrows(UsageException.class, () -> TokenId.of("abc123.0123456789ABCDEF"));
        assertEquals(
                "\"abc123.***\" is neither a bootstrap token nor the id of one:"
                        + " an id has 6 characters out of a-z and 0-9;"
                        + " in a token a dot and 16 more follow; see kjadm token list",
                refusal.getMessage());
    }
}
