package io.kjadm.etcd.mutation;

import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;

/** What PIT found, from its {@code mutations.xml}. */
record MutationReport(List<Result> results) {

    record Result(Mutant mutant, boolean killed) {

        String packageName() {
            return mutant.type().substring(0, mutant.type().lastIndexOf('.'));
        }
    }

    boolean looksAt(String type) {
        return results.stream().anyMatch(result -> result.mutant().type().equals(type));
    }

    /** @param sources folders of sources, of the modules that were mutated */
    static MutationReport read(Path report, List<Path> sources) throws IOException {
        if (!Files.exists(report)) {
            return new MutationReport(List.of());
        }
        Map<Path, List<String>> texts = new HashMap<>();
        List<Result> results = new ArrayList<>();
        NodeList mutations = elements(report);
        for (int i = 0; i < mutations.getLength(); i++) {
            Element mutation = (Element) mutations.item(i);
            String type = text(mutation, "mutatedClass");
            Path file = find(
                    sources,
                    type.substring(0, type.lastIndexOf('.') + 1).replace('.', '/')
                            + text(mutation, "sourceFile"));
            if (!texts.containsKey(file)) {
                texts.put(file, Files.readAllLines(file));
            }
            int number = Integer.parseInt(text(mutation, "lineNumber"));
            results.add(new Result(
                    new Mutant(
                            type,
                            method(text(mutation, "mutatedMethod")),
                            change(text(mutation, "description")),
                            texts.get(file).get(number - 1).strip()),
                    Boolean.parseBoolean(mutation.getAttribute("detected"))));
        }
        return new MutationReport(List.copyOf(results));
    }

    private static Path find(List<Path> sources, String name) throws IOException {
        return sources.stream()
                .map(folder -> folder.resolve(name))
                .filter(Files::exists)
                .findFirst()
                .orElseThrow(() -> new IOException("no " + name + " in " + sources));
    }

    private static NodeList elements(Path report) throws IOException {
        try {
            return DocumentBuilderFactory.newDefaultInstance()
                    .newDocumentBuilder()
                    .parse(report.toFile())
                    .getElementsByTagName("mutation");
        } catch (ParserConfigurationException | SAXException e) {
            throw new IOException("cannot read " + report, e);
        }
    }

    private static String text(Element mutation, String name) {
        return mutation.getElementsByTagName(name).item(0).getTextContent();
    }

    /** The compiler numbers the lambdas of a class anew with every edit. */
    private static String method(String name) {
        return name.startsWith("lambda$") ? name.split("\\$")[1] : name;
    }

    /** Without the method, which {@code replaced return value … for} repeats. */
    private static String change(String description) {
        return description.startsWith("replaced ") && description.contains("::")
                ? description.substring(0, description.lastIndexOf(" for "))
                : description;
    }
}
