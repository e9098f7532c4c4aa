package io.kjadm.core.auto;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;

import io.kjadm.core.auto.EntryJson.Reading;
import io.kjadm.core.host.JsonInput;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.journal.JournalJson;
import io.kjadm.core.snapshot.sign.SigningKey;
import io.kjadm.core.snapshot.sign.SnapshotKeys;
import io.kjadm.core.snapshot.sign.VerifyKey;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.auto.ClusterSpec;
import io.kjadm.etcd.auto.Entry;
import io.kjadm.etcd.auto.EntryBody;
import io.kjadm.etcd.auto.EntryBody.Added;
import io.kjadm.etcd.auto.MachineId;
import io.kjadm.etcd.auto.Seat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;

class EntryJsonTest {

    private static final MachineId MACHINE = new MachineId("m-3f1c9a0277b1c2d4");
    private static final URI PEER = URI.create("https://10.0.0.11:2380");
    private static final AutoToken TOKEN = AutoToken.of(new byte[3], new SplittableRandom(1));

    private final EntryJson json = new EntryJson(TOKEN);

    private static Entry entry(EntryBody body, Optional<MachineId> writer) {
        return new Entry(
                new Entry.Place("6f0c41", 17, "e02b"),
                new Entry.Author(writer, 4, "8a77", Instant.parse("2026-11-26T10:26:03Z")),
                body,
                "3 of 3 machines are ready",
                "kjadm etcd init");
    }

    private static List<EntryBody> bodies() {
        MemberId member = MemberId.parse("8e9e05c52164694d");
        Seat seat =
                new Seat(member, "etcd1-3f1c", Optional.of(MACHINE), List.of(PEER), List.of(PEER));
        Seat foreign = new Seat(member, "etcd9", Optional.empty(), List.of(PEER), List.of());
        return List.of(
                new EntryBody.Form(2, "kjadm-51be", MACHINE, seat, "a655067d30f39934"),
                new EntryBody.Adopt("a655067d30f39934", List.of(foreign)),
                new EntryBody.Claim(1, member),
                new EntryBody.Ready(1),
                new EntryBody.Abandon(1),
                EntryBody.Change.remove(1, MACHINE, member, Set.of(member)),
                new EntryBody.Observed(List.of(seat, foreign)),
                EntryBody.Change.add(
                        1,
                        new Added(MACHINE, "etcd1-3f1c", List.of(PEER)),
                        Set.of(member, new MemberId(7))),
                new EntryBody.Done(17, List.of(seat, foreign)),
                new EntryBody.Pause(Optional.of(Duration.ofMinutes(90)), "night"),
                new EntryBody.Pause(Optional.empty(), ""),
                new EntryBody.Resume(17),
                new EntryBody.Restore(
                        1,
                        Set.of(member),
                        Optional.of(MACHINE),
                        new EntryBody.Source(EntryBody.Source.Kind.SURVIVOR, Optional.empty()),
                        true,
                        "fire"),
                new EntryBody.Restore(
                        1,
                        Set.of(),
                        Optional.empty(),
                        new EntryBody.Source(
                                EntryBody.Source.Kind.SNAPSHOT,
                                Optional.of(new EntryBody.Snapshot(
                                        "/backup",
                                        "snap-1",
                                        "a655067d30f39934",
                                        812_044,
                                        List.of("age1")))),
                        false,
                        ""),
                new EntryBody.Fenced(
                        1,
                        member,
                        Optional.of(new EntryBody.Progress(5, 6, 7, 8, 1, 9)),
                        Set.of(member),
                        "/var/lib/etcd.fenced"),
                new EntryBody.Fenced(1, member, Optional.empty(), Set.of(), ""),
                new EntryBody.Spec(ClusterSpec.of(new EtcdVersion(3, 7, 0), 5)),
                new EntryBody.Retire("by hand"));
    }

    /** The log outlives the program that has written it. */
    @Test
    void aSnapshotWithoutRecipientsIsNotEncrypted() throws IOException {
        String old = "{\"store\":\"/backup\",\"name\":\"s\",\"cluster\":\"c\",\"revision\":7}";
        assertEquals(
                new EntryBody.Snapshot("/backup", "s", "c", 7),
                JournalJson.read(JournalJson.parse(old), EntryBody.Snapshot.class));
    }

    private static Stream<EntryBody> ofOperators() {
        return bodies().stream()
                .filter(body -> body instanceof EntryBody.Restore
                        || body instanceof EntryBody.Retire
                        || body instanceof EntryBody.Spec);
    }

    /** The key of the file, and the pair of another one. */
    @ParameterizedTest
    @MethodSource("ofOperators")
    void whatAnOperatorAloneSaysCountsWithAnOperatorsSignature(EntryBody body) {
        MemoryFiles files = new MemoryFiles();
        SnapshotKeys keys = new SnapshotKeys(files);
        VerifyKey own = keys.create(Path.of("/k/own"), Path.of("/k/own.pub"));
        keys.create(Path.of("/k/other"), Path.of("/k/other.pub"));
        SigningKey signing = keys.signing(Path.of("/k/own"));
        SigningKey other = keys.signing(Path.of("/k/other"));
        EntryJson signed = new EntryJson(TOKEN, List.of(VerifyKey.of(own.text())));
        Entry entry = entry(body, Optional.empty());

        byte[] good = signed.write(entry, Optional.of(signing));
        assertEquals(new Reading.Authentic(entry), signed.read(17, good));
        assertInstanceOf(Reading.Void.class, signed.read(17, signed.write(entry)));
        assertInstanceOf(
                Reading.Void.class, signed.read(17, signed.write(entry, Optional.of(other))));
        // the signature of another text, under the sum of this one
        Entry changed = new Entry(entry.place(), entry.author(), body, "changed", "");
        String[] lines = new String(signed.write(changed), StandardCharsets.UTF_8).split("\n");
        String proof = new String(good, StandardCharsets.UTF_8).split("\n")[1];
        String moved = lines[0]
                + "\n"
                + lines[1].replace("}", proof.substring(proof.indexOf(",\"sig\"")))
                + "\n";
        assertInstanceOf(
                Reading.Void.class, signed.read(17, moved.getBytes(StandardCharsets.UTF_8)));
        // a cluster without an operator's key
        assertEquals(new Reading.Authentic(entry), json.read(17, json.write(entry)));
        assertEquals(new Reading.Authentic(entry), json.read(17, good));
    }

    @Test
    void whatMachinesSayNeedsNoSignature() {
        VerifyKey key = new SnapshotKeys(new MemoryFiles())
                .create(Path.of("/k/own"), Path.of("/k/own.pub"));
        EntryJson signed = new EntryJson(TOKEN, List.of(key));
        Entry entry = entry(new EntryBody.Ready(1), Optional.of(MACHINE));
        assertEquals(new Reading.Authentic(entry), signed.read(17, signed.write(entry)));
    }

    @ParameterizedTest
    @MethodSource("bodies")
    void anEntryIsReadAsItWasWritten(EntryBody body) {
        for (Optional<MachineId> writer :
                List.of(Optional.of(MACHINE), Optional.<MachineId>empty())) {
            Entry entry = entry(body, writer);

            byte[] bytes = json.write(entry);

            assertEquals(new Reading.Authentic(entry), json.read(17, bytes));
            assertEquals(2, new String(bytes, StandardCharsets.UTF_8).lines().count());
        }
    }

    /** Each byte of it, and each place. */
    @Test
    void whatWasChangedOrMovedIsVoid() {
        byte[] bytes = json.write(entry(new EntryBody.Ready(1), Optional.of(MACHINE)));
        String text = new String(bytes, StandardCharsets.UTF_8);
        int line = text.indexOf('\n');
        for (int at = 0; at < line + 16; at++) {
            byte[] changed = bytes.clone();
            changed[at] ^= 1;
            assertInstanceOf(Reading.Void.class, json.read(17, changed), "byte " + at);
        }
        assertInstanceOf(Reading.Void.class, json.read(18, bytes));
        EntryJson other = new EntryJson(AutoToken.of(new byte[3], new SplittableRandom(2)));
        assertInstanceOf(Reading.Void.class, other.read(17, bytes));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\n", "{}\n{}\n", "junk", "{}\n{\"mac\":\"***\"}\n", "[[[[\n]]"})
    void junkIsVoid(String text) {
        assertInstanceOf(Reading.Void.class, json.read(17, text.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void whatIsTooLargeIsVoidAndNotWritten() {
        String why = "x".repeat(AuthenticJson.LIMIT);
        Entry large = new Entry(
                new Entry.Place("6f0c41", 17, "e02b"),
                new Entry.Author(Optional.empty(), 0, "8a77", Instant.EPOCH),
                new EntryBody.Ready(1),
                why,
                "");
        assertThrows(IllegalArgumentException.class, () -> json.write(large));
        assertInstanceOf(
                Reading.Void.class,
                json.read(17, (why + "\n{}\n").getBytes(StandardCharsets.UTF_8)));
    }

    private byte[] edited(String from, String to) throws Exception {
        byte[] bytes = json.write(entry(new EntryBody.Ready(1), Optional.of(MACHINE)));
        String line = new String(bytes, StandardCharsets.UTF_8).lines().toList().getFirst();
        assertTrue(line.contains(from), line);
        return new AuthenticJson(TOKEN)
                .write(AutoObjects.entry(17), (ObjectNode) JsonInput.tree(line.replace(from, to)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"v\":1>\"v\":2",
                "ready>seal",
                "\"prev\":\"e02b\",>",
                "\"at\":\">\"at\":\"on "
            })
    void whatIsAuthenticAndNotUnderstoodIsOfANewerProgram(String change) throws Exception {
        String[] parts = change.split(">", 2);
        assertInstanceOf(Reading.Newer.class, json.read(17, edited(parts[0], parts[1])));
    }

    @Test
    void fieldsOfLaterReleasesArePassedOver() throws Exception {
        assertEquals(
                new Reading.Authentic(entry(new EntryBody.Ready(1), Optional.of(MACHINE))),
                json.read(17, edited("\"generation\":1", "\"generation\":1,\"zone\":\"a\"")));
    }
}
