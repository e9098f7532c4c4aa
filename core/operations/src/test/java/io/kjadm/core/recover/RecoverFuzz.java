package io.kjadm.core.recover;

import io.kjadm.core.etcd.StoredMember;
import io.kjadm.etcd.fuzz.Fuzz.Target;

import java.nio.charset.StandardCharsets;
import java.util.List;

/** Lists of members, as input that is mutated. */
public final class RecoverFuzz {

    private static final String MEMBER =
            "{\"id\":10276657743932975437,\"peerURLs\":[\"https://192.0.2.1:2380\"],\"isLearner\":true,\"name\":\"cp-1\",\"clientURLs\":[\"https://192.0.2.1:2379\"]}";
    private static final String EVIDENCE = """
            {"kind":"EtcdNodeEvidence","node":"node1","takenAt":"2026-11-26T03:00:00Z",
             "member":{"name":"cp-1","peerURLs":["https://cp-1:2380"],
              "startedWith":[{"name":"cp-2","peerURL":"https://cp-2:2380"}],
              "disk":{"dataDir":"/var/lib/etcd","state":"data",
               "log":{"memberID":"1","clusterID":"abc","commit":9,"lastTerm":2,"lastIndex":10,
                "committedNotApplied":0,"notCommitted":1},
               "database":{"revision":7,"appliedIndex":9,"term":2,"bytes":4096},
               "members":[{"id":"1","name":"cp-1","learner":false,
                "peerURLs":["https://cp-1:2380"],"clientURLs":["https://cp-1:2379"]}]}},
             "answers":[{"id":"1","name":"cp-1","learner":false,"peerURLs":[],"clientURLs":[],
              "status":{"memberID":"1","clusterID":"abc","leaderID":"0","version":"3.6.8",
               "dbSizeBytes":4096,"raftTerm":2,"raftIndex":10,"raftAppliedIndex":9,
               "learner":false,"errors":["etcdserver: no leader"]},
              "hashKV":{"revision":7,"compactRevision":1,"hash":55}}],
             "strangers":[],"alarms":[{"member":"1","kind":"CORRUPT"}],
             "silent":["https://cp-2:2379: connection refused"]}
            """;

    private RecoverFuzz() {}

    public static List<Target> targets() {
        return List.of(
                new Target("evidence", List.of(bytes(EVIDENCE)), input -> {
                    try {
                        EvidenceJson.parse(text(input));
                        return true;
                    } catch (IllegalArgumentException refused) {
                        return false;
                    }
                }),
                new Target(
                        "members",
                        List.of(bytes(MEMBER)),
                        input ->
                                !StoredMember.list(List.of(MEMBER, text(input))).isEmpty()));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(byte[] input) {
        return new String(input, StandardCharsets.UTF_8);
    }
}
