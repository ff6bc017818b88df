import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { parse } from 'yaml';
import { type CliStack, createEmptyDatabase, runCli, startCliStack, stopAll, stopLater } from '../../harness/index.ts';
import { readRecipes, saveRecipes } from '../../harness/recipes.ts';

interface FileNode {
  readonly type: string;
  readonly credential?: string;
  readonly parameters?: { readonly query?: unknown };
}

const recipes = await readRecipes();
const nodesOf = (yaml: string) => (parse(yaml) as { readonly nodes: readonly FileNode[] }).nodes;
const nodes = recipes.flatMap(({ yaml }) => nodesOf(yaml));

/** A secret of the type that a node takes. */
function secretFor({ type }: FileNode): { readonly type: string; readonly secret: object } {
  if (type === 'postgres') return { type, secret: { connectionString: 'postgres://db.example.com/shop' } };
  if (type === 'email') return { type: 'smtp', secret: { host: 'mail.example.com', port: 587 } };
  return { type: 'bearer', secret: { token: 'hunter2' } };
}

let stack: CliStack;
beforeAll(async () => {
  stack = await startCliStack();
});
afterAll(stopAll);

/** Returns the starts that a page shows, with their bodies. */
function startsOf(markdown: string): readonly { readonly path: string; readonly body: object }[] {
  const requests = markdown.matchAll(
    /^```http\nPOST (\/api\/workflows\/[a-z-]+\/execute)\n[^]*?\n(?:\n([^]*?))?```$/gm,
  );
  return [...requests].map(([, path = '', body = '{}']) => ({ path, body: JSON.parse(body) as object }));
}

describe('the recipes', () => {
  it('are applied to an instance as they are', async () => {
    const { workspaceId } = stack;
    const credentials = new Map(nodes.flatMap((node) => (node.credential ? [[node.credential, secretFor(node)]] : [])));
    for (const [name, given] of credentials)
      await stack.say('POST', '/api/credentials', { workspaceId, name, ...given });
    const folder = await saveRecipes(recipes);
    const env = { ...stack.cliEnv, DECKHAND_WORKSPACE: workspaceId, HOOK_SECRET: 'a secret' };

    const applied = await runCli(['apply', '--dir', folder, '--strict'], env);
    expect(applied).toMatchObject({ exitCode: 0, stderr: '' });
    expect(applied.stdout.match(/created/g)).toHaveLength(recipes.length);
    const planned = await runCli(['plan', '--dir', folder], env);
    expect(planned.stdout.match(/is unchanged/g)).toHaveLength(recipes.length);
  });

  it('are started by the requests that their pages show', async () => {
    const starts = recipes.flatMap(({ page }) => startsOf(page.markdown));
    for (const { path, body } of starts) {
      const started = await fetch(new URL(path, stack.url), {
        method: 'POST',
        headers: { 'x-api-key': stack.key, 'content-type': 'application/json' },
        // Nothing leaves the machine.
        body: JSON.stringify({ ...body, executionMode: 'sandbox' }),
      });
      expect([path, started.status]).toEqual([path, 202]);
    }
    expect(starts.length).toBeGreaterThan(10);
  });

  it.each(recipes.filter(({ page }) => page.markdown.includes('```sql')))(
    '$page.title: its statements fit the tables that it shows',
    async ({ page, yaml }) => {
      const client = new pg.Client({ connectionString: (await createEmptyDatabase()).url });
      await client.connect();
      stopLater({ stop: () => client.end() });
      await client.query(/^```sql\n([^]*?)^```$/m.exec(page.markdown)?.[1] ?? '');
      const queries = nodesOf(yaml).flatMap(({ parameters }) =>
        typeof parameters?.query === 'string' ? [parameters.query] : [],
      );
      for (const [at, query] of queries.entries())
        await expect(client.query(`PREPARE statement_${at} AS ${query}`)).resolves.toMatchObject({
          command: 'PREPARE',
        });
      expect(queries).not.toEqual([]);
    },
  );
});
