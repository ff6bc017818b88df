import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  addKey,
  addPerson,
  addSession,
  type Call,
  createWorkflow,
  type Gateway,
  type Instance,
  OWNER,
  startGateway,
  startInstance,
  stopAll,
} from '../../harness/index.ts';
import { runs } from '../../harness/random.ts';

/** Number of concurrent lanes, each with a person, a key or a workflow of its own. */
const LANES = 8;

let instance: Instance;
let replicas: [Gateway, Gateway];
let changes = 0;
let answers = 0;

beforeAll(async () => {
  instance = await startInstance();
  replicas = [instance.gateway, await startGateway(instance)];
});
afterAll(() => {
  process.stdout.write(`replicas: ${changes} changes, ${answers} answers of the other one compared\n`);
  return stopAll();
});

/** The replica that makes a change, and the other one, which must respect it. */
interface Turn {
  readonly here: Gateway;
  readonly there: Gateway;
  readonly number: number;
  /** Sends a request to both without waiting, so that anything that a replica may cache or have in flight is there. */
  warm(method: string, path: string, as: string): void;
  /** Sends a request to the other replica. @returns its status, and its body. */
  readonly ask: Call<[as: string, body?: object]>;
}

/**
 * Alternates between both replicas, in several lanes. Each step changes something at one and reads it at the other.
 * @param lane makes what one lane works with and returns what it does each turn; what a turn resolves with is compared.
 */
async function takeTurns(
  turns: number,
  lane: () => Promise<(turn: Turn) => Promise<unknown>>,
  expected: readonly unknown[],
): Promise<void> {
  const violations: unknown[] = [];
  const onTheWay: Promise<number>[] = [];
  let number = 0;
  async function work(): Promise<void> {
    const act = await lane();
    while (number < turns) {
      const mine = number++;
      const [here, there] = mine % 2 === 0 ? replicas : ([replicas[1], replicas[0]] as const);
      const warm = (method: string, path: string, as: string) => {
        onTheWay.push(...[here, there, there].map((replica) => statusOf(replica, method, path, as)));
      };
      const ask: Call<[as: string, body?: object]> = (method, path, as, body) => there.call(method, path, { as, body });
      const seen = await act({ here, there, number: mine, warm, ask });
      changes += 1;
      answers += expected.length;
      if (JSON.stringify(seen) !== JSON.stringify(expected)) violations.push({ turn: mine, seen });
    }
  }
  await Promise.all(Array.from({ length: LANES }, work));
  const warmed = await Promise.all(onTheWay);
  expect(warmed.filter((status) => status >= 500)).toEqual([]);
  expect(violations).toEqual([]);
}

/** Sends a request over a kept connection, without checks: cheap traffic. */
async function statusOf({ url }: Gateway, method: string, path: string, as: string): Promise<number> {
  const headers = new Headers(as.startsWith('dk_') ? { 'x-api-key': as } : { authorization: `Bearer ${as}` });
  const answer = await fetch(`${url}${path}`, { method, headers });
  await answer.arrayBuffer();
  return answer.status;
}

async function done(answer: Promise<{ status: number; text: string }>): Promise<void> {
  const { status, text } = await answer;
  if (status >= 300) throw new Error(`${status} ${text}`);
}

const workspace = () => `/api/workspaces/${instance.workspaceId}` as const;
const ME = '/api/auth/me';

describe('the very next request, at the other replica,', () => {
  it('refuses a key that was revoked', async () => {
    const lane = async () => {
      const owner = await addPerson(instance, 'viewer');
      return async ({ here, warm, ask }: Turn) => {
        const { id, key } = await addKey(instance, owner.userId);
        const before = await ask('GET', workspace(), key);
        warm('GET', workspace(), key);
        await done(here.call('POST', `/api/api-keys/${id}/revoke`, { as: owner.session }));
        const after = await ask('GET', workspace(), key);
        return [before.status, after.status];
      };
    };
    await takeTurns(runs(100, 400), lane, [200, 401]);
  });

  it('refuses a session that was ended', async () => {
    const lane = async () => {
      const person = await addPerson(instance, 'viewer');
      return async ({ here, warm, ask, number }: Turn) => {
        const { id, token } = await addSession(instance, person.userId);
        const before = await ask('GET', ME, token);
        warm('GET', ME, token);
        await done(
          number % 3 === 0
            ? here.call('POST', '/api/auth/logout', { as: token })
            : here.call('DELETE', `/api/auth/sessions/${id}`, { as: person.session }),
        );
        const after = await ask('GET', ME, token);
        return [before.status, after.status];
      };
    };
    await takeTurns(runs(100, 400), lane, [200, 401]);
  });

  it('refuses every other session once the password was changed', async () => {
    const { body } = await instance.gateway.call('GET', ME, { as: instance.session });
    let currentPassword = OWNER.password;
    for (let number = 0; number < 6; number += 1) {
      const [here, there] = number % 2 === 0 ? replicas : ([replicas[1], replicas[0]] as const);
      const others = await Promise.all(Array.from({ length: LANES }, () => addSession(instance, body.user.id)));
      const ask = () => Promise.all(others.map(({ token }) => there.call('GET', ME, { as: token })));
      expect((await ask()).map(({ status }) => status)).toEqual(others.map(() => 200));
      const newPassword = `a password, number ${number}`;
      const change = { as: instance.session, body: { currentPassword, newPassword } };
      const changed = here.call('POST', '/api/auth/password', change);
      await Promise.all([changed, ask()]);
      await done(changed);
      expect((await ask()).map(({ status }) => status)).toEqual(others.map(() => 401));
      expect((await there.call('GET', ME, { as: instance.session })).status).toBe(200);
      currentPassword = newPassword;
      changes += 1;
      answers += 2 * others.length;
    }
  });

  it("refuses a demoted member's writes, by session and by key, and takes them again after", async () => {
    const lane = async () => {
      const member = await addPerson(instance, 'editor');
      const { key } = await addKey(instance, member.userId);
      const workflow = `/api/workflows/${await createWorkflow(instance)}` as const;
      const change = (role: string, { here }: Turn) =>
        done(here.call('PATCH', `${workspace()}/members/${member.userId}`, { as: instance.session, body: { role } }));
      return async (turn: Turn) => {
        const write = (as: string) => turn.ask('PATCH', workflow, as, { description: String(turn.number) });
        turn.warm('GET', workflow, key);
        await change('viewer', turn);
        const refused = await Promise.all([write(member.session), write(key)]);
        turn.warm('GET', workflow, key);
        await change('editor', turn);
        const taken = await Promise.all([write(key), write(member.session)]);
        return [...refused, ...taken].map(({ status }) => status);
      };
    };
    await takeTurns(runs(30, 120), lane, [403, 403, 200, 200]);
  });

  it('shows nothing to a member who was removed, by session or by key', async () => {
    const lane = async () => {
      const member = await addPerson(instance);
      const { key } = await addKey(instance, member.userId);
      const path = `${workspace()}/members`;
      const workflow = `/api/workflows/${await createWorkflow(instance)}` as const;
      return async ({ here, warm, ask }: Turn) => {
        const see = async () =>
          (await Promise.all([ask('GET', workflow, member.session), ask('GET', workflow, key)])).map((a) => a.status);
        await done(here.call('POST', path, { as: instance.session, body: { email: member.email, role: 'viewer' } }));
        const before = await see();
        warm('GET', workflow, key);
        warm('GET', workflow, member.session);
        await done(here.call('DELETE', `${path}/${member.userId}`, { as: instance.session }));
        return [...before, ...(await see())];
      };
    };
    await takeTurns(runs(40, 160), lane, [200, 200, 404, 404]);
  });

  it('runs the version that was saved', async () => {
    const definition = { nodes: [{ id: 'start', type: 'trigger.manual' }], edges: [] };
    const lane = async () => {
      const workflow = `/api/workflows/${await createWorkflow(instance, definition)}` as const;
      return async ({ here, warm, ask }: Turn) => {
        warm('GET', workflow, instance.key);
        warm('POST', `${workflow}/execute`, instance.key);
        const saved = await here.call('POST', `${workflow}/versions`, { as: instance.key, body: { definition } });
        const started = await ask('POST', `${workflow}/execute`, instance.key);
        const run = await instance.db.execution.findUnique({ where: { id: started.body.executionId } });
        return [saved.status, started.status, run?.workflowVersionId === saved.body.workflowVersionId];
      };
    };
    await takeTurns(runs(50, 200), lane, [201, 202, true]);
  });

  it("tells a workflow's new status, alone and in lists", async () => {
    const lane = async () => {
      const id = await createWorkflow(instance, { nodes: [{ id: 'start', type: 'trigger.manual' }], edges: [] });
      const path = `/api/workflows/${id}` as const;
      return async ({ here, warm, ask }: Turn) => {
        const [status, other] = (await ask('GET', path, instance.key)).body.status === 'active' ? OFF : ON;
        const list = (of: string) =>
          `/api/workflows?workspaceId=${instance.workspaceId}&status=${of}&limit=500` as const;
        warm('GET', path, instance.key);
        await done(here.call('PATCH', path, { as: instance.key, body: { status } }));
        const isIn = async (of: string) =>
          (await ask('GET', list(of), instance.key)).body.data.some((entry) => entry.id === id);
        const hasStatus = async () => (await ask('GET', path, instance.key)).body.status === status;
        return Promise.all([hasStatus(), isIn(status), isIn(other)]);
      };
    };
    await takeTurns(runs(50, 200), lane, [true, true, false]);
  });
});

const ON = ['active', 'inactive'] as const;
const OFF = ['inactive', 'active'] as const;
