package io.kjadm.cli.listing;

import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.cli.output.OutputFormat;
import io.kjadm.core.etcd.commands.EtcdStatus;
import io.kjadm.core.etcd.commands.EtcdStatus.Role;
import io.kjadm.core.etcd.commands.EtcdStatus.Row;
import io.kjadm.core.etcd.commands.LearnerOwner;
import io.kjadm.core.etcd.commands.MembershipLeaseStatus;
import io.kjadm.etcd.Alarm;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.Quorum;
import io.kjadm.etcd.join.ReplicationProgress;

import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

import java.net.URI;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

class EtcdListingTest {

    private static final Instant NOW = Instant.parse("2026-02-03T04:05:06Z");
    private static final MemberId LEADER = new MemberId(0x8e9e05c52164694dL);

    @Test
    void theTableHasARowForEachMember() {
        List<String> lines = new EtcdListing(learning()).table().lines().toList();
        assertEquals(
                List.of(
                        "ID",
                        "NAME",
                        "ROLE",
                        "HEALTH",
                        "VERSION",
                        "DB SIZE",
                        "TERM",
                        "INDEX",
                        "LAG",
                        "PEER URLS",
                        "CLIENT URLS"),
                cells(lines.get(0)));
        assertEquals(
                List.of(
                        "8e9e05c52164694d",
                        "cp-1",
                        "leader",
                        "healthy",
                        "3.6.13",
                        "25.0 MiB",
                        "3",
                        "200000",
                        "0 (0.0%)",
                        "https://cp-1:2380",
                        "https://cp-1:2379"),
                cells(lines.get(1)));
        assertEquals(
                List.of(
                        "b2",
                        "cp-2",
                        "voter",
                        "no response",
                        "?",
                        "?",
                        "?",
                        "?",
                        "?",
                        "https://cp-2:2380",
                        "https://cp-2:2379"),
                cells(lines.get(2)));
        assertEquals(
                List.of(
                        "c3",
                        "cp-3",
                        "learner",
                        "healthy",
                        "3.6.13",
                        "25.0 MiB",
                        "3",
                        "150000",
                        "50000 (25.0%)",
                        "https://cp-3:2380",
                        "https://cp-3:2379"),
                cells(lines.get(3)));
    }

    @Test
    void theReportTellsWhatConcernsTheCluster() {
        String report = new EtcdListing(learning()).report();
        assertEquals(
                """
                Cluster:      74b8f919ec31aaeb
                Leader:       cp-1 (8e9e05c52164694d)
                Quorum:       1 of 2 voters are healthy, 2 are needed: no quorum
                Alarms:       none
                Learner:      c3 cp-3 (learner, https://cp-3:2380): added by cp-3/run, 3m ago; caught up 75 % (entry 150000 of 200000)
                Unhealthy:    cp-2: no answer: Connection refused
                Disagreement: cp-1 lists other members
                """, report.substring(report.indexOf("Cluster: "), report.indexOf("Defects: ")));
    }

    @Test
    void aLearnerOfNobodyKnownIsSoCalled() {
        Row ghost = new Row(
                member(new MemberId(0xd4), "", true),
                Role.LEARNER,
                Optional.empty(),
                Optional.empty(),
                false,
                "not started",
                Optional.empty());
        EtcdStatus status = new EtcdStatus(
                "",
                new EtcdStatus.Voters(new Quorum(3), 3, Optional.empty()),
                List.of(ghost),
                List.of(),
                new MembershipLeaseStatus.Unknown("the API server is down"),
                List.of(),
                NOW);
        String report = new EtcdListing(status).report();
        assertHasLine(
                "Learner:      d4 (learner not started, https://cp-9:2380): unknown who added it, or when",
                report);
        assertTrue(
                report.contains(
                        "Change:       unknown who is changing the members: the API server is down"),
                report);
        assertEquals(
                Map.of("unknown", "the API server is down"),
                new EtcdListing(status).object().get("change"));
        assertEquals(
                List.of("d4", "<none>", "learner", "not started"),
                cells(report.lines().toList().get(1)).subList(0, 4));
        assertEquals(
                Set.of("Cluster", "Leader", "Quorum", "Alarms", "Learner", "Change"),
                facts(report));
    }

    /** What is told below the table of members, by name. */
    private static Set<String> facts(String report) {
        return report.lines()
                .skip(1)
                .filter(line -> line.matches("[A-Z][a-z ]+:.*"))
                .map(line -> line.substring(0, line.indexOf(':')))
                .collect(Collectors.toSet());
    }

    @Test
    void whoChangesTheMembersIsToldOnceEvenIfItsLearnerIsNotKnown() {
        MembershipLeaseStatus held = new MembershipLeaseStatus.Held(
                "cp-4/run", Optional.of(NOW.minusSeconds(300)), NOW, false);
        EtcdStatus status = new EtcdStatus(
                "c1",
                new EtcdStatus.Voters(new Quorum(3), 3, Optional.of(leader())),
                List.of(),
                List.of(),
                held,
                List.of(),
                NOW);
        assertTrue(
                new EtcdListing(status)
                        .report()
                        .contains(
                                "Change:       cp-4/run is changing the members, started 5m ago, and has not renewed its Lease for a minute by this machine's clock"));
        assertEquals(
                Map.of(
                        "holder",
                        "cp-4/run",
                        "since",
                        "2026-02-03T04:00:06Z",
                        "renewed",
                        NOW.toString(),
                        "alive",
                        false),
                new EtcdListing(status).object().get("change"));
        assertEquals(
                Set.of(
                        "Cluster",
                        "Leader",
                        "Quorum",
                        "Alarms",
                        "Learner",
                        "Unhealthy",
                        "Disagreement",
                        "Defects"),
                facts(new EtcdListing(learning()).report()));
    }

    @Test
    void knownDefectsAreToldByVersionALineForEach() {
        List<String> told = new EtcdListing(learning())
                .report()
                .lines()
                .dropWhile(line -> !line.startsWith("Defects:"))
                .toList();
        assertEquals(
                "Defects:      3.6.13 (cp-1, cp-3): upgrade to 3.6.14 or newer: 'kjadm etcd upgrade 3.6.14'",
                told.getFirst());
        assertEquals(
                learning().defects().getFirst().defects().stream()
                        .map(defect -> "              - " + defect.what())
                        .toList(),
                told.subList(1, told.size()));
    }

    @Test
    @SuppressWarnings("unchecked")
    void knownDefectsAreFieldsOfTheObject() {
        Map<String, Object> json = (Map<String, Object>) parse("json", new EtcdListing(learning()));
        Map<String, Object> told = ((List<Map<String, Object>>) json.get("defects")).getFirst();
        assertEquals("3.6.13", told.get("version"));
        assertEquals(List.of("cp-1", "cp-3"), told.get("members"));
        assertEquals("3.6.14", told.get("fixedIn"));
        List<Map<String, Object>> known = (List<Map<String, Object>>) told.get("known");
        assertEquals(
                List.of("tls-handshake", "watch-permission"),
                known.stream().map(defect -> defect.get("id")).toList());
        known.forEach(
                defect -> assertEquals(Set.of("id", "what", "fixedIn", "source"), defect.keySet()));
        json = (Map<String, Object>)
                parse("json", new EtcdListing(cluster(3, 3, Optional.of(leader()), List.of())));
        assertEquals(List.of(), json.get("defects"));
    }

    @Test
    void theMarginIsSpelledOut() {
        assertHasLine(
                "Quorum:       5 of 5 voters are healthy, 3 are needed: 2 more may fail",
                quorum(5, 5));
        assertHasLine(
                "Quorum:       2 of 3 voters are healthy, 2 are needed: none may fail",
                quorum(3, 2));
        assertHasLine(
                "Quorum:       2 of 4 voters are healthy, 3 are needed: no quorum", quorum(4, 2));
    }

    @Test
    void healthyMeansAQuorumALeaderAndNoAlarm() {
        assertTrue(EtcdListing.healthy(cluster(3, 2, Optional.of(leader()), List.of())));
        assertFalse(EtcdListing.healthy(cluster(3, 1, Optional.of(leader()), List.of())));
        assertFalse(EtcdListing.healthy(cluster(3, 3, Optional.empty(), List.of())));
        assertFalse(EtcdListing.healthy(
                cluster(3, 3, Optional.of(leader()), List.of(new Alarm(LEADER, "NOSPACE")))));
    }

    @Test
    @SuppressWarnings("unchecked")
    void jsonAndYamlSayTheSame() {
        EtcdListing listing = new EtcdListing(learning());
        Map<String, Object> json = (Map<String, Object>) parse("json", listing);
        assertEquals(json, parse("yaml", listing));
        assertEquals("EtcdStatus", json.get("kind"));
        assertEquals("output.kjadm.io/v1alpha1", json.get("apiVersion"));
        assertEquals(
                Map.of("voters", 2, "healthyVoters", 1, "needed", 2, "margin", -1),
                json.get("quorum"));
        Map<String, Object> learner = ((List<Map<String, Object>>) json.get("members")).getLast();
        assertEquals("c3", learner.get("id"));
        assertEquals(50000, learner.get("lagEntries"));
        assertEquals(25.0, learner.get("lagPercent"));
        assertEquals(
                Map.of("who", "cp-3/run", "since", "2026-02-03T04:02:00Z", "alive", true),
                learner.get("addedBy"));
        assertFalse(
                ((List<Map<String, Object>>) json.get("members")).get(1).containsKey("version"));
    }

    @Test
    void theMemberListHasOneObjectPerMember() {
        List<Map<String, Object>> objects = new EtcdListing(learning()).objects();
        assertEquals(
                List.of("EtcdMember", "EtcdMember", "EtcdMember"),
                objects.stream().map(one -> one.get("kind")).toList());
        assertEquals(List.of("https://cp-2:2380"), objects.get(1).get("peerURLs"));
    }

    private static Object parse(String format, EtcdListing listing) {
        // YAML's parser reads JSON too
        return new Yaml()
                .load(new OutputFormat(true, Map.of())
                        .writer(format)
                        .orElseThrow()
                        .write(List.of(listing.object())));
    }

    private static List<String> cells(String line) {
        return List.of(line.split(" {2,}"));
    }

    private static String quorum(int voters, int healthy) {
        return new EtcdListing(cluster(voters, healthy, Optional.of(leader()), List.of())).report();
    }

    private static EtcdStatus cluster(
            int voters, int healthy, Optional<Member> leader, List<Alarm> alarms) {
        return new EtcdStatus(
                "c1",
                new EtcdStatus.Voters(new Quorum(voters), healthy, leader),
                List.of(),
                alarms,
                new MembershipLeaseStatus.Free(),
                List.of(),
                NOW);
    }

    /** A leader, a silent voter, and a learner three minutes into its join. */
    private static EtcdStatus learning() {
        Member silent = member(new MemberId(0xb2), "cp-2", false);
        Member learner = member(new MemberId(0xc3), "cp-3", true);
        return new EtcdStatus(
                "74b8f919ec31aaeb",
                new EtcdStatus.Voters(new Quorum(2), 1, Optional.of(leader())),
                List.of(
                        new Row(
                                leader(),
                                Role.LEADER,
                                Optional.of(status(leader(), 200_000)),
                                Optional.of(new ReplicationProgress(200_000, 200_000)),
                                true,
                                "healthy",
                                Optional.empty()),
                        new Row(
                                silent,
                                Role.VOTER,
                                Optional.empty(),
                                Optional.empty(),
                                false,
                                "no answer: Connection refused",
                                Optional.empty()),
                        new Row(
                                learner,
                                Role.LEARNER,
                                Optional.of(status(learner, 150_000)),
                                Optional.of(new ReplicationProgress(150_000, 200_000)),
                                true,
                                "healthy",
                                Optional.of(new LearnerOwner(
                                        "cp-3/run", Optional.of(NOW.minusSeconds(186)), true)))),
                List.of(),
                new MembershipLeaseStatus.Free(),
                List.of("cp-1 lists other members"),
                NOW);
    }

    private static Member leader() {
        return member(LEADER, "cp-1", false);
    }

    private static Member member(MemberId id, String name, boolean learner) {
        String host = name.isEmpty() ? "cp-9" : name;
        List<URI> clients =
                name.isEmpty() ? List.of() : List.of(URI.create("https://" + host + ":2379"));
        return new Member(
                id, name, List.of(URI.create("https://" + host + ":2380")), clients, learner);
    }

    private static MemberStatus status(Member member, long applied) {
        return new MemberStatus(
                member.id(),
                "74b8f919ec31aaeb",
                LEADER,
                MemberStatus.Versions.of(new EtcdVersion(3, 6, 13)),
                25L << 20,
                3,
                200_000,
                applied,
                member.learner(),
                List.of());
    }
}
