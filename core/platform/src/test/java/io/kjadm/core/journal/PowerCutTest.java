package io.kjadm.core.journal;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.host.HostFiles;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.Mutates;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.reflect.Method;
import java.util.Set;

/** A power cut comes behind every change of a port, those that are added to it included. */
class PowerCutTest {

    private static final Set<String> READERS = Set.of("snapshot", "close");

    @ParameterizedTest
    @ValueSource(classes = {HostFiles.class, EtcdCluster.class})
    void whatAnswersNothingChangesSomethingAndIsMarked(Class<?> port) {
        for (Method method : port.getMethods()) {
            boolean answers = method.getReturnType() != void.class;
            assertTrue(
                    answers
                            || READERS.contains(method.getName())
                            || method.isAnnotationPresent(Mutates.class),
                    method.toString());
        }
    }
}
