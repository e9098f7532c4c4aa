package io.kjadm.core.error;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.ConnectException;
import java.nio.channels.ClosedByInterruptException;

class CausesTest {

    @Test
    void aFailureWithoutAMessageTellsItsKind() {
        assertEquals("ConnectException", Causes.words(new ConnectException()));
        assertEquals("no route", Causes.words(new ConnectException("no route")));
    }

    @Test
    void anInterruptionIsSomebodysWish() {
        assertEquals("the program was asked to stop", Causes.words(new InterruptedException()));
        assertEquals(
                "the program was asked to stop", Causes.words(new ClosedByInterruptException()));
    }

    @Test
    void theRootIsBehindAllOthers() {
        IOException root = new IOException("root");
        assertEquals(root, Causes.root(new RuntimeException(new RuntimeException(root))));
        assertEquals(root, Causes.root(root));
    }
}
