/**
 * Programs that only the build runs, to make the packages: they rewrite the jars, and write the
 * manual pages and the bill of materials. They are in no package.
 */
package io.kjadm.packaging;
