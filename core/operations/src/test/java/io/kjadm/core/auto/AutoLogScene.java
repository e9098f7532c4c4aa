package io.kjadm.core.auto;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.kjadm.core.auto.AutoLog.Appended;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.etcd.auto.AutoFacts.StoreView;
import io.kjadm.etcd.auto.Charter.Open;
import io.kjadm.etcd.auto.EntryBody;
import io.kjadm.etcd.auto.EntryBody.Pause;
import io.kjadm.etcd.auto.EntryBody.Resume;

import java.time.Duration;
import java.util.Optional;

/** The log of a cluster in automatic mode, as one of its machines reads and writes it. */
abstract class AutoLogScene {

    static final Pause PAUSE = LogLab.pause("night");

    final LogLab lab = new LogLab();
    final MemoryFiles here = new MemoryFiles();
    final AutoLog log = lab.machine(here);

    static void reads(AutoLog log) {
        assertInstanceOf(StoreView.Answers.class, log.refresh());
    }

    Appended append(AutoLog writer, EntryBody body) {
        return writer.append(body, "why", "a command");
    }

    static Optional<EntryBody> paused(AutoLog log) {
        return log.charter().pause().map(Open::body);
    }

    byte[] pending() {
        return here.readBytes(LogLab.STATE.resolve("log/pending")).orElse(new byte[0]);
    }

    void pass(Duration time) {
        lab.waiter.pause("", "", time);
    }

    /** With entries at slots 1 to that one. */
    void written(int slots) {
        AutoLog person = lab.person();
        reads(person);
        for (int slot = 1; slot <= slots; slot++) {
            EntryBody body = slot % 2 == 1 ? PAUSE : new Resume(slot - 1);
            assertEquals(Appended.WRITTEN, append(person, body));
        }
    }
}
