/** The results of a file. */
export interface TestedFile {
  readonly slug: string;
  readonly tests: readonly {
    readonly name: string;
    readonly failures: readonly string[];
    readonly durationMs: number;
  }[];
  /** What may be unintended in the definition, as lines of text. */
  readonly warnings?: readonly string[];
}

/** Returns results as JUnit XML: a suite for each workflow. */
export function toJunit(tested: readonly TestedFile[]): string {
  const suites = tested.map(({ slug, tests }) => {
    const failed = tests.filter(({ failures }) => failures.length > 0).length;
    const cases = tests.map(({ name, failures, durationMs }) => {
      const start = `    <testcase classname="${escape(slug)}" name="${escape(name)}" time="${seconds(durationMs)}"`;
      if (failures.length === 0) return `${start}/>`;
      return `${start}>\n      <failure message="${escape(failures[0] ?? '')}">${escape(failures.join('\n'))}</failure>\n    </testcase>`;
    });
    const head = `  <testsuite name="${escape(slug)}" tests="${tests.length}" failures="${failed}">`;
    return [head, ...cases, '  </testsuite>'].join('\n');
  });
  return ['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites>', ...suites, '</testsuites>', ''].join('\n');
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(3);
}

/** Escapes text, and removes characters that XML 1.0 does not have. */
function escape(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
