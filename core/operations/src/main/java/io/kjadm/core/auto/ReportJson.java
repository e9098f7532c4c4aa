package io.kjadm.core.auto;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.kjadm.core.journal.JournalJson;
import io.kjadm.etcd.auto.MachineReport;
import io.kjadm.etcd.auto.WaitCode;

import java.util.Arrays;
import java.util.Optional;

/** Reports of machines as objects of the store. */
class ReportJson {

    private static final String DOING = "doing";
    private static final String CODE = "code";

    private final AutoToken token;
    private final AuthenticJson json;

    ReportJson(AutoToken token) {
        this.token = token;
        this.json = new AuthenticJson(token);
    }

    /** Whether a cluster file is that of the cluster whose machines report. */
    boolean fits(byte[] clusterFile) {
        return token.fits(clusterFile);
    }

    byte[] write(MachineReport report) {
        ObjectNode node = AuthenticJson.object();
        node.setAll(JournalJson.tree(report));
        return json.write(AutoObjects.report(report.id()), node);
    }

    /** Of a boot: it tells nothing but that it was. */
    byte[] run(String key) {
        return json.write(key, AuthenticJson.object());
    }

    /** Empty if no holder of the token has written it under that key, or it is not understood. */
    Optional<MachineReport> read(String key, byte[] bytes) {
        return json.read(key, bytes)
                .filter(node -> !AuthenticJson.isNewer(node))
                .flatMap(ReportJson::report)
                .filter(report -> AutoObjects.report(report.id()).equals(key));
    }

    private static Optional<MachineReport> report(JsonNode node) {
        JsonNode doing = node.path(DOING);
        boolean known = Arrays.stream(WaitCode.values())
                .anyMatch(code -> code.name().equals(doing.path(CODE).asText()));
        if (!known && doing instanceof ObjectNode object) {
            // a newer kjadm may wait for what this one does not know, and says so in words
            object.remove(CODE);
        }
        try {
            return Optional.of(JournalJson.read(node, MachineReport.class));
        } catch (JsonProcessingException e) {
            return Optional.empty();
        }
    }
}
