import { describe, expect, it } from '@jest/globals';
import { createClient } from '../connection.ts';
import { applySteps, checkSteps, type Result } from './apply.ts';
import type { FileDocument } from './document.ts';
import { plan, sidesOf } from './plan.ts';
import { openWorkspace, type Workspace } from './workspace.ts';

/** A workflow of the fake instance. */
interface Kept {
  readonly slug: string;
  readonly managed?: boolean;
  /** The slug that it starts. */
  readonly starts?: string;
  /** The URL that it requests. */
  readonly url?: string;
}

/** An instance that answers as far as plans need it; `refuses` has the slugs that it does not apply. */
class FakeInstance {
  readonly requests: string[] = [];
  readonly refuses = new Set<string>();
  readonly #kept: Map<string, Kept>;

  constructor(kept: Readonly<Record<string, Kept>>) {
    this.#kept = new Map(Object.entries(kept));
  }

  change(id: string, kept: Kept): void {
    this.#kept.set(id, kept);
  }

  open(): Promise<Workspace> {
    const deckhand = createClient(
      { url: 'http://localhost', apiKey: 'dk_test' },
      { fetch: (request) => this.#respond(request), maxRetries: 0 },
    );
    const never = () => Promise.reject(new Error('no test needs this'));
    return openWorkspace({
      url: 'http://localhost',
      deckhand,
      workspaceId: () => Promise.resolve('w'),
      workflowId: never,
    });
  }

  async #respond(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    const id = pathname.split('/')[3];
    if (request.method === 'POST') {
      const { slug } = (await request.json()) as { slug: string };
      this.requests.push(`apply ${slug}`);
      if (this.refuses.has(slug)) return Response.json({ code: 'VALIDATION_FAILED', error: 'no' }, { status: 400 });
      return Response.json({ id: `id-${slug}` }, { status: 201 });
    }
    if (request.method === 'DELETE') {
      this.requests.push(`delete ${id ?? ''} as ${request.headers.get('if-match') ?? ''}`);
      return new Response(null, { status: 204 });
    }
    const one = this.#kept.get(id ?? '');
    if (one) return Response.json(this.#full(id ?? '', one), { headers: { etag: `"${id ?? ''}-read"` } });
    const all = pathname === '/api/workflows' ? [...this.#kept].map(([key, kept]) => this.#full(key, kept)) : [];
    return Response.json({ data: all, total: all.length, limit: 500, offset: 0 });
  }

  #full(id: string, { slug, managed = true, starts, url }: Kept): object {
    const started = [...this.#kept].find(([, other]) => other.slug === starts)?.[0];
    const nodes = started === undefined ? [] : [{ id: 'n', type: 'workflow', parameters: { workflowId: started } }];
    const requests = url === undefined ? [] : [{ id: 'call', type: 'http', parameters: { url } }];
    const definition = { nodes: [...nodes, ...requests], edges: [] };
    const none = { description: '', folderId: null, errorWorkflowId: null, status: 'draft' };
    return { id, slug, name: slug, managed, definition, ...none };
  }
}

const A = '00000000-0000-7000-8000-00000000000a';
const B = '00000000-0000-7000-8000-00000000000b';

const file = (slug: string, starts?: string): FileDocument => ({
  slug,
  name: slug,
  nodes: starts === undefined ? [] : [{ id: 'n', type: 'workflow', parameters: { workflow: starts } }],
  edges: [],
});

const failures = (results: readonly Result[]) =>
  Object.fromEntries(results.flatMap(({ slug, failure }) => (failure ? [[slug, failure.message]] : [])));

async function planned(instance: FakeInstance, files: readonly FileDocument[], meanwhile = () => undefined as unknown) {
  const workspace = await instance.open();
  meanwhile();
  const steps = await plan(workspace, files, { prune: true });
  return { workspace, steps, actions: steps.map(({ action, slug }) => `${action} ${slug}`) };
}

describe('a plan', () => {
  it('deletes nothing without --prune, whatever slugs become meanwhile', async () => {
    const instance = new FakeInstance({ [A]: { slug: 'a' } });
    const workspace = await instance.open();
    instance.change(A, { slug: 'b' });
    const steps = await plan(workspace, [file('a')], { prune: false });
    expect(steps.map(({ action, slug }) => `${action} ${slug}`)).toEqual(['create a']);
  });

  it.each([
    ['is still managed and has no file', { slug: 'b' }, ['unchanged a', 'delete b']],
    ['is no longer managed', { slug: 'b', managed: false }, ['unchanged a']],
  ])('deletes what %s', async (_what, kept, expected) => {
    const instance = new FakeInstance({ [A]: { slug: 'a' }, [B]: { slug: 'b' } });
    const { actions } = await planned(instance, [file('a')], () => instance.change(B, kept));
    expect(actions).toEqual(expected);
  });

  it('deletes no workflow that a file was found for, even if its slug became another one', async () => {
    const instance = new FakeInstance({ [A]: { slug: 'a' } });
    const { actions } = await planned(instance, [file('a')], () => instance.change(A, { slug: 'c' }));
    expect(actions).toEqual(['create a']);
  });
});

describe('a value that a file takes from the environment', () => {
  it('is not shown, and alone no difference', async () => {
    const workspace = await new FakeInstance({ [A]: { slug: 'a', url: 'https://example.com/hunter2' } }).open();
    const parameters = { url: { $env: 'CRM_URL' } };
    const wanted = { slug: 'a', name: 'a', nodes: [{ id: 'call', type: 'http', parameters }], edges: [] };
    const steps = await plan(workspace, [wanted, { ...wanted, name: 'b' }], { prune: false });
    expect(steps.map(({ action, changes }) => [action, changes])).toEqual([
      ['unchanged', []],
      ['update', ['name']],
    ]);
    expect(JSON.stringify(steps.map(sidesOf))).not.toContain('hunter2');
  });
});

describe('deletions', () => {
  const apply = async (instance: FakeInstance, files: readonly FileDocument[]) => {
    const { workspace, steps } = await planned(instance, files);
    return failures(await applySteps(workspace, steps, () => undefined));
  };

  it('name the state that was planned for, and are carried out last', async () => {
    const instance = new FakeInstance({ [A]: { slug: 'a' } });
    expect(await apply(instance, [file('b')])).toEqual({});
    expect(instance.requests).toEqual(['apply b', `delete ${A} as "${A}-read"`]);
  });

  it('are not carried out if another workflow could not be applied: it may be the same one with a new slug', async () => {
    const instance = new FakeInstance({ [A]: { slug: 'a' } });
    instance.refuses.add('b');
    expect(await apply(instance, [file('b')])).toMatchObject({
      a: 'Not deleted: another workflow could not be applied.',
    });
    expect(instance.requests).toEqual(['apply b']);
  });

  it('are refused for what a file names, in the plan as when it is applied', async () => {
    const instance = new FakeInstance({ [A]: { slug: 'a' }, [B]: { slug: 'b', starts: 'a' } });
    const { workspace, steps, actions } = await planned(instance, [file('b', 'a')]);
    expect(actions).toEqual(['delete a', 'unchanged b']);
    const expected = { a: 'Not deleted: b names it.' };
    expect(failures(await checkSteps(workspace, steps))).toEqual(expected);
    expect(failures(await applySteps(workspace, steps, () => undefined))).toEqual(expected);
    expect(instance.requests).toEqual([]);
  });
});
