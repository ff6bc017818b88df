/** How to start a workflow from outside. All of it can be pasted; the key is read from `DECKHAND_API_KEY`. */
export interface CodeSnippets {
  /** Installs the SDK of this instance. */
  readonly install: string;
  readonly javaScript: string;
  readonly shell: string;
  readonly curl: string;
}

/** Returns what starts a workflow. @param origin the URL of the instance, without a slash at its end. */
export function codeSnippets(origin: string, workflowId: string): CodeSnippets {
  return {
    install: `npm install ${origin}/downloads/deckhand-sdk.tgz`,
    javaScript: [
      "import { createDeckhand } from '@deckhand/sdk';",
      '',
      `const deckhand = createDeckhand({ baseUrl: '${origin}', apiKey: process.env.DECKHAND_API_KEY });`,
      `const run = await deckhand.workflows.execute('${workflowId}', {});`,
      'console.log(await run.result());',
    ].join('\n'),
    shell: `DECKHAND_URL=${origin} npx --yes ${origin}/downloads/deckhand-cli.tgz run ${workflowId} --input '{}' --follow`,
    curl: [
      `curl -X POST ${origin}/api/workflows/${workflowId}/execute`,
      `-H "x-api-key: $DECKHAND_API_KEY" -H 'content-type: application/json' -d '{"input":{}}'`,
    ].join(' \\\n  '),
  };
}
