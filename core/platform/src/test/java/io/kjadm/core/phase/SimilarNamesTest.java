package io.kjadm.core.phase;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;

final class SimilarNamesTest {

    @ParameterizedTest
    @CsvSource({
        "init,init,0",
        "inti,init,1",
        "int,init,1",
        "iniit,init,1",
        "unit,init,1",
        "tini,init,2",
        "ca,abc,3",
        "'',init,4",
        "init,'',4"
    })
    void eachMistakeCountsOnce(String typed, String name, int mistakes) {
        assertEquals(mistakes, SimilarNames.distance(typed, name));
        assertEquals(mistakes, SimilarNames.distance(name, typed));
    }

    @ParameterizedTest
    @CsvSource({
        "inti,init",
        "tokn,token",
        "jion,join",
        "rest,reset",
        "INIT,init",
        "kube-prxoy,addon/kube-proxy",
        "addon/corends,addon/coredns"
    })
    void aSlipIsSeenThrough(String typed, String meant) {
        assertEquals(
                List.of(meant),
                SimilarNames.of(
                        typed,
                        List.of(
                                "init",
                                "join",
                                "reset",
                                "token",
                                "addon",
                                "addon/coredns",
                                "addon/kube-proxy")));
    }

    @ParameterizedTest
    @CsvSource({"xyzzy", "in", "i", "''", "joint-venture", "proxy"})
    void anotherWordIsNoSlip(String typed) {
        assertEquals(
                List.of(),
                SimilarNames.of(typed, List.of("init", "join", "token", "-v", "addon/kube-proxy")));
    }

    @Test
    void onlyTheNearestAreNamedAndAllOfThem() {
        assertEquals(
                List.of("coat", "cost"),
                SimilarNames.of("cot", List.of("cost", "cones", "coat", "cost")));
    }

    @Test
    void aPartOfAnotherGroupIsNotMeant() {
        assertEquals(
                List.of("certs/ca"), SimilarNames.of("cets/ca", List.of("certs/ca", "other/ca")));
    }

    @Test
    void theGuessEndsASentenceOrIsNothing() {
        assertEquals("; did you mean init?", SimilarNames.guess("inti", List.of("init")));
        assertEquals(
                "; did you mean coat or cost?", SimilarNames.guess("cot", List.of("cost", "coat")));
        assertEquals("", SimilarNames.guess("xyz", List.of("init")));
    }
}
