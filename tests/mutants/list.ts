/** A guard, and what becomes of its source without its condition. */
export interface Mutant {
  readonly name: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  /** `<project>:<path pattern>` of the tests that must fail. */
  readonly tests: string;
  /** Why it changes nothing that a test could see; undefined for a mutant that tests must notice. */
  readonly survives?: string | undefined;
}

/** Returns mutants of one file that the same tests must notice: name, text, what it becomes, why it survives. */
function of(
  file: string,
  tests: string,
  mutants: readonly (readonly [name: string, find: string, replace: string, survives?: string])[],
): Mutant[] {
  return mutants.map(([name, find, replace, survives]) => ({ name, file, find, replace, tests, survives }));
}

const FILE_STORE = 'integration:integration/executions/file-store';
const FORMS = 'integration:integration/api/forms';
const FENCES = 'integration:integration/executions/fences';
const LIMITS = 'integration:integration/executions/concurrency.test';
const DEBOUNCE = 'integration:integration/executions/debounce';
const KEYS = 'integration:integration/executions/concurrency-keys';
const DRAFTS = 'integration:integration/api/drafts';
const RECOVER = 'integration:integration/executions/recover';
const MAINTENANCE = 'integration:integration/executions/maintenance';
const LEASE = 'integration:integration/worker/maintenance-lease';
const TIME_LIMIT = 'integration:integration/executions/time-limit';
const ANSWERS = 'integration:integration/executions/answer-or-time';
const LINKS = 'integration:integration/api/answer-links';
const CONNECTORS_OF_N8N = 'unit:import-n8n/src/nodes/connectors';
const HOSTILE_IMPORTS = 'unit:import-n8n/src/hostile';
const LOCKS_OF_RUNS = 'integration:integration/executions/lock-order';
const LOCKS_OF_WORKFLOWS = 'integration:integration/api/lock-order';
const RUN_LOOP = 'unit:tests/engine/(waits|pause|retry-rest)';
const WAIT_TIMER = 'unit:session/wait-timer';
const OAUTH = 'integration:integration/worker/oauth';
const VARIABLES = 'integration:integration/api/variables.test';
const SHARDS = 'e2e:e2e/stores/shards';
const ARCHIVE = 'e2e:e2e/retention/archive';
const MIGRATIONS = 'e2e:e2e/versions/migrations';
const ACCESS = 'integration:integration/api/access-matrix';
const ADMISSION = 'integration:integration/webhooks/admission';
const DELETION = 'e2e:e2e/retention/workspace-deletion';
const FAILURE_GROUPS = 'integration:integration/executions/failure-groups';
const BULK_ACTIONS = 'integration:integration/worker/bulk-actions';
const INSIGHTS = 'integration:integration/executions/insights';
const MONITORING = 'integration:integration/api/monitoring.test';
const RETENTION = 'e2e:e2e/retention/retention';
const READ_REPLICA = 'e2e:e2e/availability/read-replica';
const OUTBOX = 'integration:integration/events/outbox';
const EVENTS = 'integration:integration/events/delivery';
const MATCHING = 'integration:integration/incoming-events/matching';
const INCOMING = 'integration:integration/incoming-events/events';
const SIGNALS = 'integration:integration/incoming-events/signals';
const CANCEL_ON = 'integration:integration/incoming-events/cancel-on';
const MCP_ACCESS = 'integration:integration/mcp/access';
const MCP_TOOLS = 'integration:integration/mcp/tools';
const CLI = 'unit:apps/cli/src';
const DEVICES = 'integration:integration/api/devices';
const CONNECTORS = 'integration:integration/worker/connectors';
const SIGN_ON = 'integration:integration/api/single-sign-on';
const HOSTILE_SIGN_ON = 'integration:integration/api/hostile-sign-on';
const ACCOUNTS = 'integration:integration/api/accounts';
const SECOND_FACTORS = 'integration:integration/api/second-factors';

/** All mutants. */
export const MUTANTS: readonly Mutant[] = [
  ...of('apps/api/src/auth/while-allowed.ts', 'integration:integration/api/following', [
    ['a held response goes on although its caller has lost access', 'lost.abort(error);', ';'],
  ]),
  ...of('apps/api/src/routes/workspaces.ts', 'integration:api/access-matrix', [
    ['a key that may change members may delete the workspace', "'workspaces:*'", "'workspaces:write'"],
  ]),
  ...of('apps/api/src/webhooks/find-target.ts', 'integration:integration/api/disabled-triggers', [
    ['a disabled webhook starts runs', 'settings.isDisabled', 'false'],
  ]),
  ...of('packages/db/src/versions/save.ts', 'integration:integration/webhooks/urls', [
    ['saving a version takes the live URL of a webhook away', "isLive: status === 'active'", 'isLive: false'],
  ]),
  ...of('packages/db/src/executions/end/respond.ts', 'integration:integration/webhooks/respond', [
    ['a second response replaces the first', ' AND r.responded_by IS NULL', ''],
    ['a node that runs again is told that another was first', '= ${by} AS "isOwn"', '= \'\' AS "isOwn"'],
    ['two nodes respond at once', ' ${LOCK_RUNS}', ''],
    ['a run responds after its end', ' AND ${isUnfinished()}', ''],
    [
      'callers who got a response at once get another',
      "\n          AND node #>> '{parameters,responseMode}' = 'onCompletion'",
      '',
    ],
  ]),
  ...of('packages/db/src/workflows/apply.ts', 'integration:integration/api/apply-workflow', [
    ['a workflow that was changed since is overwritten', ' || !isInState(workflow, precondition.states)', ''],
    [
      'a slug that was given to another workflow still names this one',
      '!current || ',
      '',
      'needs a change between two statements',
    ],
    ['a viewer applies a workflow', "await requirePermission(tx, actor, workspaceId, 'workflows.edit');", ''],
    ['a kept secret counts as a change', 'if (version.secrets.areKept && isSame', 'if (false && isSame'],
    ['a secret that is sent is not saved', 'version.secrets.areKept && ', ''],
    ['what a workflow has already is written again', 'wanted[name] !== current[name]', 'true'],
  ]),
  ...of('packages/db/src/workflows/apply.ts', 'integration:integration/api/answer-once', [
    [
      'a response that changed nothing is shown to former members',
      'savedVersionId === null && actor.requestToken !== undefined',
      'savedVersionId === null && false',
    ],
  ]),
  ...of('packages/db/src/versions/save.ts', 'integration:integration/api/apply-workflow', [
    [
      'a save restores the secret that another one has replaced',
      'newest?.sealedSecrets',
      '(await tx.workflowVersion.findFirst({ where: { workflowId, number: 1 } }))?.sealedSecrets',
    ],
  ]),
  ...of('packages/testing/src/mocked-types.ts', 'unit:packages/testing', [
    ['a test passes although a node has an effect outside', 'mocks.noteMissing(nodeId);', ''],
    ['the clock passes while a script runs', 'during(outcome)', 'outcome'],
  ]),
  ...of('apps/api/src/runs/followed-runs.ts', 'integration:integration/webhooks/respond', [
    [
      'a response that comes before its caller waits is forgotten',
      'if (hasResponse && !followed.has(executionId))',
      'if (false)',
      'the next regular poll finds it, a little later',
    ],
  ]),
  ...of('packages/db/src/events-in/event.ts', MATCHING, [
    [
      'a run takes one event again and again',
      '    AND NOT EXISTS (SELECT 1 FROM waits o WHERE o.execution_id = w.execution_id AND o.event_id = v.id)\n',
      '',
    ],
    ['an event wakes the run that it has started', 'AND NOT ${HAS_STARTED}', ''],
    ['an event wakes a child of the run that it has started', 'a.parent_execution_id, a.rerun_of]', 'a.rerun_of]'],
    [
      'an event that came before is not looked for',
      'WHERE ${key} AND v.workspace_id',
      'WHERE false AND ${key} AND v.workspace_id',
    ],
  ]),
  ...of('packages/db/src/events-in/event.ts', CANCEL_ON, [
    ['an event stops a start that was joined after it', 'coalesce(x.joined_at, x.created_at)', 'x.created_at'],
  ]),
  ...of('apps/worker/src/session/active-runs.ts', 'unit:session/run-session', [
    ['a job that is delivered twice claims twice', 'if (dispatch <= (place.next ?? place).dispatch) return false;', ''],
    ['a run that is dispatched again does not get its place', 'if (next) {', 'if (next && places.size === 0) {'],
  ]),
  ...of('packages/db/src/executions/pause.ts', 'integration:worker/pause', [
    [
      'a resume reaches runs that a person paused',
      'AND (e.id = ${executionId}::uuid OR e.paused_with = ${executionId}::uuid)',
      '',
    ],
  ]),
  ...of('packages/db/src/events-in/end-waits.ts', MATCHING, [
    ['a wait ends by two events', 'WHERE o.answered_at IS NULL AND (g.event_id', 'WHERE (g.event_id'],
    ['a late event ends a wait', 'answer = CASE WHEN NOT ${isTimeUp} THEN open.answer END', 'answer = open.answer'],
    ['events wake runs of other workspaces', 'w.workspace_id = v.workspace_id AND w.event_name', 'w.event_name'],
    ['an event is done although a run was locked', 'partial.has(id) || locked.has(id)', 'partial.has(id)'],
    [
      'an event waits for locked runs',
      'endWaitsByEvents(tx, ends, LOCK_FREE_RUNS)',
      'endWaitsByEvents(tx, ends, LOCK_RUNS)',
    ],
    ['a later event overtakes an earlier one', '(firstId ?? event.id)', 'event.id'],
    [
      'an event is done although it has more waits',
      'if (count > perEvent || (ends',
      'if (count > perEvent) continue;\n    if ((ends',
    ],
  ]),
  ...of('apps/worker/src/session/held-run.ts', CANCEL_ON, [
    [
      'a run begins although an event has stopped it',
      'return this.#parts.loader.stopByEvents(this.#claimed.id);',
      'return false;',
    ],
  ]),
  ...of('apps/worker/src/checkpoints/journal.ts', CANCEL_ON, [
    [
      'a finished run leaves its waits open',
      '    this.#backlog.waits.push(...this.#cancelWaits.map((wait) => ({ ...wait, isCancelled: true as const })));\n',
      '',
    ],
  ]),
  ...of('apps/api/src/webhooks/send-signal.ts', SIGNALS, [
    ['ids of senders meet', '`${target.workflowId}/${target.nodeId}/${requestKey}`', 'requestKey'],
    ['a test sends an event', 'if (target.testActor) {', 'if (false) {'],
  ]),
  ...of('packages/db/src/events-in/find-work.ts', MATCHING, [
    ['many events of a workspace delay those of others', 'ORDER BY f.place, f.at LIMIT', 'ORDER BY f.at LIMIT'],
    ['a page has the shares of workspaces alone', 'UNION ALL SELECT * FROM rest) f', ') f'],
  ]),
  ...of('packages/db/src/schedules/move.ts', 'integration:integration/schedules/rules', [
    ['a locked key delays all schedules', '(db, start, MAX_LOCK_WAIT_MS);', '(db, start);'],
  ]),
  ...of('packages/db/src/events-in/start-runs.ts', MATCHING, [
    ['an event is overtaken by later ones', 'CASE WHEN d.seconds > 0 THEN', 'CASE WHEN d.seconds >= 0 THEN'],
  ]),
  ...of('packages/db/src/events-in/accept-events.ts', MATCHING, [
    ['viewers send events', "          WHEN NOT ${memberMay('runs.start')} THEN 'forbidden'\n", ''],
    ['a workspace may have any number of unmatched events', "          WHEN b.is_full THEN 'tooMany'\n", ''],
    ['an event is stored twice', '      ON CONFLICT DO NOTHING\n', ''],
  ]),
  ...of('packages/db/src/events-in/sync-triggers.ts', INCOMING, [
    ['an inactive workflow keeps its triggers', "workflow.status !== 'active' || ", ''],
  ]),
  ...of('apps/worker/src/maintenance/start-event-runs.ts', INCOMING, [
    ['an event that is matched again starts a run again', '`${id}/${workflowId}/${nodeId}`', '`${Math.random()}`'],
    ['a limit loses a run', 'return outcome.count.resetSeconds;', 'return undefined;'],
  ]),
  ...of('packages/db/src/executions/start/settle-starts.ts', INCOMING, [
    ['a run is counted again after its worker died', 'landed?.has(idOf(start)) === true', 'false'],
  ]),
  ...of('apps/cli/src/connection.ts', CLI, [
    ['a key of a profile is sent elsewhere', 'if (!profile || !isOf(profile.url))', 'if (!profile)'],
    [
      'a key of the environment is sent elsewhere',
      '(given.url === undefined || isOf(given.url))',
      '(given.url === undefined || true)',
    ],
    ['a URL may contain a password', "if (url.username !== '' || url.password !== '')", 'if (false)'],
  ]),
  ...of('apps/cli/src/profiles.ts', CLI, [['others read the keys', 'mode: 0o600', 'mode: 0o644']]),
  ...of('apps/cli/src/files/document.ts', CLI, [
    ['files get values of the environment', 'names.has(name) ? SECRET : value', 'value'],
  ]),
  ...of('apps/cli/src/files/plan.ts', CLI, [
    ['values of the environment are shown', 'withoutValuesOf(document, read.document)', 'read.document'],
  ]),
  ...of('packages/terminal/src/text.ts', 'unit:packages/terminal/src', [
    ['control characters reach the terminal', '/[\\p{Cc}\\u2028', '/[\\u2028'],
    ['C1 controls reach the terminal in JSON', '/[\\u007f-\\u009f', '/[\\u007f'],
  ]),
  ...of('packages/db/src/failure-groups/add-failures.ts', FAILURE_GROUPS, [
    ['tries of authors are failures', "AND e.execution_mode = 'normal' AND", 'AND'],
    [
      'processes add groups at the same time',
      '    failures.map(({ workspaceId }) => `failure groups of ${workspaceId}`),',
      '    [],',
    ],
    ['a workspace may have any number of groups', 'if (room >= needed) return needed;', 'return needed;'],
    ['open groups give way to new ones', "AND (state <> 'open' OR last_seen_at < now() - ${STALE})", ''],
    [
      'an earlier failure opens a resolved group',
      "g.state = 'resolved' AND EXCLUDED.last_seen_at > g.state_changed_at",
      "g.state = 'resolved'",
    ],
    ['an ignored group opens by itself', "g.state = 'resolved' AND", "g.state <> 'open' AND"],
  ]),
  ...of('packages/db/src/failure-groups/failure-groups.ts', FAILURE_GROUPS, [
    [
      'groups of other workspaces are read',
      'where: { id, workspaceId: { in: workspaces.map((workspace) => workspace.id) } }',
      'where: { id, ...(workspaces.length < 0 && { workspaceId: id }) }',
    ],
  ]),
  ...of('packages/db/src/insights/run-days.ts', INSIGHTS, [
    ['tests of authors are counted', "e.execution_mode IN ('normal', 'sandbox') AND ", ''],
    ['a run that an earlier version put back on the work list is counted again', ' AND e.trigger_data IS NOT NULL', ''],
  ]),
  ...of('packages/db/src/insights/read-insights.ts', INSIGHTS, [
    ['days of other workspaces are read', 'd.workspace_id = ${workspaceId}::uuid AND EXISTS', 'EXISTS'],
    [
      'days are read by no member',
      "await requirePermission(db, actor, workspaceId, 'runs.read');",
      '',
      'the route has checked it, and the statements have the same condition',
    ],
  ]),
  ...of('packages/db/src/search/index-executions.ts', INSIGHTS, [
    [
      'a run that its deletion has counted is counted again',
      'SELECT execution_id FROM taken WHERE NOT is_counted',
      'SELECT execution_id FROM taken',
      'without its trigger data, it is not counted either; the mark is for a statement whose snapshot still has them',
    ],
  ]),
  ...of('packages/db/src/retention.ts', INSIGHTS, [
    [
      'a run that is counted is counted when its data is deleted',
      ' WHERE NOT f.is_counted\n',
      '\n',
      'a run with data on the work list is not counted yet',
    ],
  ]),
  ...of('packages/db/src/monitoring/workflow-activity.ts', MONITORING, [
    ['workflows of other workspaces are shown', 'uuid[]) AND w.workspace_id = ${workspaceId}::uuid\n', 'uuid[])\n'],
  ]),
  ...of('packages/db/src/search/index-executions.ts', FAILURE_GROUPS, [
    [
      'a failure that another process counted is counted again',
      'taken.filter(({ groupId }) => groupId === null)',
      'taken',
    ],
  ]),
  ...of('packages/db/src/retention.ts', FAILURE_GROUPS, [
    [
      'a run leaves its group with its data',
      'SELECT t.id, d.failure_group_id, true FROM taken t LEFT JOIN deleted_texts d',
      'SELECT t.id, NULL::uuid, true FROM taken t LEFT JOIN deleted_texts d',
    ],
  ]),
  ...of('packages/db/src/bulk-actions/perform.ts', BULK_ACTIONS, [
    ['a settled run is acted on again', 'const ids = rows.map(({ id }) => id);', 'const ids = [...executionIds];'],
    [
      'two workers act on the same runs',
      "b.status = 'running' FOR UPDATE OF b SKIP LOCKED",
      "b.status = 'running'",
      'the locks on the runs exclude each other as well; this one only saves the second worker the work',
    ],
    [
      'an aborted action continues',
      "b.id = ${action.id}::uuid AND b.status = 'running' FOR",
      'b.id = ${action.id}::uuid FOR',
      'aborting deletes the rows of the runs, so nothing is left to act on',
    ],
    ['a viewer continues to act', ' AND ${memberMay(BULK_ACTION_PERMISSIONS[action.kind])}', ''],
    ['a revoked key continues to act', 'k.id = b.api_key_id AND k.revoked_at IS NULL', 'k.id = b.api_key_id'],
    ['a workspace gets a batch for each of its actions', 'SELECT DISTINCT ON (b.workspace_id) b.*', 'SELECT b.*'],
  ]),
  ...of('packages/db/src/bulk-actions/act-on-runs.ts', BULK_ACTIONS, [
    [
      'runs of other workspaces are acted on',
      'WHERE e.id = ANY (${[...ids]}::uuid[]) AND e.workspace_id = ${workspaceId}::uuid`',
      'WHERE e.id = ANY (${[...ids]}::uuid[]) AND ${workspaceId}::uuid IS NOT NULL`',
    ],
  ]),
  ...of('packages/db/src/events/emit.ts', OUTBOX, [
    ['events are stored for other workspaces', 'ON p.workspace_id = h.workspace_id AND', 'ON'],
    ['events are stored for disabled endpoints', 'AND p.disabled_at IS NULL', ''],
    ['a run starts with each claim', 'WHERE w."isFirst" AND', 'WHERE'],
  ]),
  ...of('packages/db/src/events/emit.ts', EVENTS, [
    ['the types of an endpoint are ignored', "(p.event_types = '{}' OR h.type = ANY (p.event_types))", 'true'],
    [
      'the workflows of an endpoint are ignored',
      "AND (p.workflow_ids = '{}' OR h.workflow_id = ANY (p.workflow_ids))",
      '',
    ],
    ['tries have events', "${run}.execution_mode = 'normal'", 'true'],
  ]),
  ...of('packages/db/src/checkpoints/write-checkpoints.ts', OUTBOX, [
    ['refused and repeated checkpoints have events', "a.step = 'new' AND ${hasEvents(", '${hasEvents('],
  ]),
  ...of('packages/db/src/events/deliver.ts', OUTBOX, [
    ['a later event of a run overtakes', 'WHERE NOT d.is_blocked AND d.place', 'WHERE d.place'],
    [
      'a blocked event is read with each take',
      'WHERE d.id = ANY (ARRAY(SELECT id FROM due WHERE is_blocked',
      'WHERE false AND d.id = ANY (ARRAY(SELECT id FROM due WHERE is_blocked',
    ],
    ['a late failure counts', "(g.outcome = 'delivered' OR l.attempt_count = g.number - 1)", 'true'],
    ['a paused endpoint gets events', 'AND (p.throttled_until IS NULL OR p.throttled_until <= now())', ''],
    [
      'a failing endpoint gives many at a time',
      'THEN least(g.room, 1) ELSE g.room END AS room',
      'THEN least(g.room, 9) ELSE g.room END AS room',
    ],
    ['two processes lease the same lane', 'ELSE coalesce(p.leased_until <= now(), true) END', 'ELSE true END'],
    [
      'a lane is leased without asking again once it is locked',
      'ORDER BY p.id FOR NO KEY UPDATE OF p SKIP LOCKED',
      'ORDER BY p.id',
    ],
    [
      'deliveries of lanes of others are taken',
      'WHERE p.lease_holder = ${holder}::uuid AND p.leased_until > now()',
      'WHERE p.leased_until > now()',
    ],
    ['attempts outlast the lease', 'AND p.leased_until > now() + ${inMs(minLeftMs)} AND', 'AND'],
    ['a delivery in progress is taken again', ' AND d.id <> ALL (o.held)', ''],
  ]),
  ...of('packages/db/src/events/deliver.ts', EVENTS, [
    ['an endpoint is disabled too early', 'AND p.failing_since < now() - ${DISABLED_AFTER}', ''],
  ]),
  ...of('packages/db/src/events/endpoints.ts', EVENTS, [
    ['secrets have no end', '(expires_at IS NULL OR expires_at > now())', 'true'],
    ['endpoints are counted without a lock', ' FOR NO KEY UPDATE`;\n    if', '`;\n    if'],
  ]),
  ...of('packages/db/src/lock-order.ts', LOCKS_OF_RUNS, [
    ['runs are locked in no order', 'ORDER BY e.id FOR UPDATE', 'FOR UPDATE'],
  ]),
  ...of('apps/worker/src/maintenance/archive-partition.ts', ARCHIVE, [
    [
      'an archive with other runs counts as complete',
      'if (runs === sums.runs && checksum === sums.checksum) return;',
      'return;',
    ],
    [
      'runs of deleted workspaces are archived',
      'const isKept = existing.has(workspaceOf(run));',
      'const isKept = true;',
    ],
  ]),
  ...of('packages/outputs/src/archive.ts', ARCHIVE, [
    [
      'a part is not read back',
      'await readBytes(`${FOLDER}${partition}/${name}`, sha256);\n      return { name',
      'return { name',
    ],
  ]),
  ...of('apps/worker/src/maintenance/retention.ts', ARCHIVE, [
    ['runs are pruned alone although there is an archive', 'if (archives) {', 'if (archives && !archives) {'],
  ]),
  ...of('packages/queue/src/queue-shards.ts', SHARDS, [
    ['jobs are in another shard than their workspace', 'act(shard(index).queue, group)', 'act(shard(0).queue, group)'],
  ]),
  ...of('packages/db/src/workflows/workflows.ts', 'integration:integration/api/if-match', [
    [
      'a deletion that is refused stops runs',
      'if (!isInState(before, states))',
      'if (false && !isInState(before, states))',
    ],
    [
      'a workflow that was changed while its runs were stopped is deleted',
      "(workflow, states)) throw new DeckhandError('PRECONDITION_FAILED');\n    const",
      "(workflow, undefined)) throw new DeckhandError('PRECONDITION_FAILED');\n    const",
    ],
  ]),
  ...of('packages/db/src/workflows/lock.ts', LOCKS_OF_WORKFLOWS, [
    ['a workflow is locked before its workspace', '${id}::uuid) FOR SHARE', '${id}::uuid)'],
  ]),
  ...of('packages/db/src/workflows/drafts.ts', DRAFTS, [
    ['a draft is replaced by an editor who has not seen it', 'before ? mustBeNew :', 'before ? false :'],
    ['a draft that somebody has deleted is created again', 'before ? mustBeNew : mustExist', 'before && mustBeNew'],
    ['a draft is replaced whatever its state', 'if (states && !states.some(', 'if (false && states && !states.some('],
    [
      'drafts are written without the lock of their workflow',
      "await lockWorkflow(tx, actor, workflowId, 'workflows.edit');\n    if (baseVersionId",
      'if (baseVersionId',
    ],
  ]),
  ...of('packages/db/src/workflows/import-reports.ts', ACCESS, [
    ['strangers read reports of imports', ", workflow: { workspace: visibleWorkspace(actor, 'workflows.read') }", ''],
    ['viewers dismiss reports of imports', "workflowId, 'workflows.edit'", "workflowId, 'workflows.read'"],
  ]),
  ...of('packages/import-n8n/src/kept-report.ts', 'unit:import-n8n/src/kept-report', [
    ['reports of imports have tokens', '.replaceAll(LONG_WORD, ', '.replaceAll(/$^/g, '],
    ['reports of imports have any size', 'all.filter(isRoom)', 'all'],
  ]),
  ...of('packages/import-n8n/src/nodes/connectors/gmail.ts', CONNECTORS_OF_N8N, [
    ['an imported address begins a header of a mail', ".replace(/[\\\\r\\\\n]+/g, ' ')", ''],
  ]),
  ...of('packages/import-n8n/src/nodes/connectors/call.ts', CONNECTORS_OF_N8N, [
    [
      'an import drops parameters that a connector does not have',
      'if (other !== undefined) return',
      'if (false) return',
    ],
    ['an import takes values in any mode', 'modes.some((each) => each === mode)', "mode !== 'url'"],
  ]),
  ...of('packages/import-n8n/src/spread.ts', 'unit:import-n8n/src/layout', [
    ['imported nodes overlap', '(at - earlier >= longest)', '(at - earlier >= 100)'],
  ]),
  ...of('apps/api/src/workflows/secret-parameters.ts', DRAFTS, [
    ['an empty secret of a draft is asked for', "[SECRET_PLACEHOLDER, '']", '[SECRET_PLACEHOLDER]'],
    ['a draft keeps secrets', 'secrets.length === 0 ? node', 'secrets.length >= 0 ? node'],
    ['the secret of a draft is the placeholder itself', 'if (value === SECRET_OF_DRAFT)', 'if (false)'],
  ]),
  ...of('packages/db/src/webhooks/deliveries.ts', 'integration:integration/webhooks/deliveries', [
    ['pruning waits for rows that another deletes', 'FOR UPDATE OF d SKIP LOCKED', 'FOR UPDATE OF d'],
  ]),
  ...of('packages/db/src/checkpoints/fence.ts', FENCES, [
    ['a checkpoint does not compare the token', 'l.claim_token = g.token AND l.epoch', 'l.epoch'],
    [
      'a checkpoint does not compare the epoch',
      'l.claim_token = g.token AND l.epoch = g.epoch',
      'l.claim_token = g.token',
    ],
    ['a claimed run is claimed again', '${isUnclaimed(RUN)} AND ${isUnlimited(RUN)}', '${isUnlimited(RUN)}'],
    ['a first checkpoint claims past a limit', '${isUnclaimed(RUN)} AND ${isUnlimited(RUN)}', '${isUnclaimed(RUN)}'],
    ['the digest is not compared', 'g.digest IS NULL OR g.digest = ${computeRowDigest(RUN)}', 'true'],
    ['a gap in the numbers is accepted', 'l.checkpoint = g.checkpoint - 1', 'l.checkpoint < g.checkpoint'],
    ['a paused run takes no checkpoint', "l.status IN ('running', 'paused') THEN", "l.status IN ('running') THEN"],
    ['a paused run ends', "AND l.status <> 'paused'", ''],
    [
      'a run rests on an answer that its worker has not seen',
      'AND NOT (g."isResting" AND l.answers <> g."answerCount")',
      '',
    ],
    [
      'a repeated checkpoint hides a pause',
      "WHEN a.was = 'paused' THEN 'paused'",
      "WHEN a.was = 'paused' AND a.step = 'new' THEN 'paused'",
    ],
    ['a repeated end that did not happen counts', 'ELSE a.holder IS NOT NULL END', 'ELSE false END'],
    ['an end that did not happen counts', "WHEN 'new' THEN NOT a.ends", "WHEN 'new' THEN false"],
    ['a repeated checkpoint is refused', "THEN 'repeated'", 'THEN NULL'],
  ]),
  ...of('packages/db/src/checkpoints/write-checkpoints.ts', FENCES, [
    ['progress does not take losses back', 'CASE WHEN a."hasProgress" THEN 0 ELSE e.losses END', 'e.losses'],
    ['every checkpoint takes losses back', 'CASE WHEN a."hasProgress" THEN 0 ELSE e.losses END', '0'],
    [
      'a claim leaves its dispatch unclaimed',
      'whenClaiming(Prisma.sql`e.dispatch`, Prisma.sql`e.claimed_dispatch`)',
      'whenClaiming(Prisma.sql`e.claimed_dispatch`, Prisma.sql`e.claimed_dispatch`)',
    ],
    ['a run began before it was accepted', 'greatest(e.created_at, now()', 'greatest(now()'],
    [
      'a finished run keeps its worker',
      'worker_id = CASE WHEN NOT a.ends THEN coalesce(a."claimedBy", e.worker_id) END',
      'worker_id = coalesce(a."claimedBy", e.worker_id)',
    ],
    ['fenced checkpoints move the run', "AND ${isGiven} AND a.step = 'new'", 'AND ${isGiven}'],
  ]),
  ...of('packages/db/src/checkpoints/rows.ts', FENCES, [
    [
      'a fenced checkpoint writes nodes',
      '"iterationCounts" text)\n      JOIN admitted a ON a.i = n.i AND a.step = \'new\'',
      '"iterationCounts" text)\n      JOIN admitted a ON a.i = n.i AND a.id IS NOT NULL',
    ],
    [
      'a node that a pause kept keeps its start',
      "CASE EXCLUDED.status WHEN 'pending' THEN EXCLUDED.started_at\n            ELSE coalesce(EXCLUDED.started_at, ${table}.started_at) END",
      'coalesce(EXCLUDED.started_at, ${table}.started_at)',
    ],
    [
      'a stopped node loses its start',
      'ELSE coalesce(EXCLUDED.started_at, ${table}.started_at) END',
      'ELSE EXCLUDED.started_at END',
    ],
  ]),
  ...of('packages/db/src/executions/claim/claim.ts', FENCES, [
    [
      'a dispatch is claimed twice',
      'AND (e.claimed_dispatch < w.dispatch OR e.worker_id IS NOT NULL AND e.claim_token = w.token)',
      '',
    ],
    ['a late job after a new dispatch claims', 'e.id = w.id AND e.dispatch = w.dispatch\n', 'e.id = w.id\n'],
    ['a finished run is claimed', "AND ${mayMove('claim')} AND e.checkpoint_version", 'AND e.checkpoint_version'],
    ['a repeated claim is refused', ' OR e.worker_id IS NOT NULL AND e.claim_token = w.token', ''],
    [
      'a claim that was given back is repeated',
      'OR e.worker_id IS NOT NULL AND e.claim_token = w.token',
      'OR e.claim_token = w.token',
    ],
    ['a claim does not raise the epoch', 'epoch = e.epoch + 1, claim_token', 'epoch = e.epoch, claim_token'],
    [
      'a run that was dispatched again is begun unclaimed',
      "${run}.status = 'pending' AND ${run}.dispatch = 1 AND",
      "${run}.status = 'pending' AND",
    ],
  ]),
  ...of('packages/db/src/executions/start/debounce.ts', DEBOUNCE, [
    ['a start of an event is joined twice', '  if (done) return done;\n', ''],
    ['a start of a matched event is made again', 'v.matched_at IS NOT NULL OR ', ''],
    [
      'starts at once do not wait for each other',
      'await lockNames(tx, [`debounce of ${workflowId} ${debounce.key}`]);',
      '',
    ],
    ['a run that is being woken is changed', '    FOR UPDATE OF e`);\n  return pending', '    `);\n  return pending'],
    ['a run whose time has come is changed', 'AND e.wake_at > now())`', ')`'],
    ['a run that was stopped or paused is changed', "e.status = 'pending' AND e.started_at", 'e.started_at'],
    [
      'a start that is refused changes the run',
      'if (!isAccepted(verdict)) return verdict;',
      'if (!isAccepted(verdict) && !pending) return verdict;',
    ],
    [
      'a start whose response was lost is joined with itself',
      'return id === request.executionId ? verdict :',
      'return',
    ],
    ['a run begins earlier than it was to', 'greatest(d.until, least(', '(least('],
    ['starts are joined for ever', 'd.first_at + ${inSeconds(maxDelay)}', 'now() + ${inSeconds(delay + maxDelay)}'],
  ]),
  ...of('packages/db/src/executions/start/start-runs.ts', DEBOUNCE, [
    ['a joined start has a run of its own', 'into === undefined ? INSERT_ACCEPTED', 'true ? INSERT_ACCEPTED'],
  ]),
  ...of('packages/db/src/executions/read/list-iterations.ts', ACCESS, [
    ['an approver reads iterations', " AND ${memberMay('runs.read')}", ''],
  ]),
  ...of('packages/db/src/events/callbacks.ts', ACCESS, [
    ['an approver reads callbacks', " AND ${memberMay('runs.read')}", ''],
  ]),
  ...of('packages/db/src/executions/start/read-for-rerun.ts', ACCESS, [
    ['an approver is told of runs by reruns', " AND ${memberMay('runs.read')}", ''],
  ]),
  ...of('packages/db/src/files.ts', ACCESS, [
    ['an approver reads files of runs', " AND ${memberMay('runs.read')}", ''],
  ]),
  ...of('packages/db/src/workflows/workflows.ts', 'integration:integration/api/activations', [
    [
      'an author publishes',
      "  if (isPublication(workflow, changes)) await requirePermission(tx, actor, workspaceId, 'workflows.publish');\n",
      '',
    ],
    ['an author chooses what runs after failures', "status === 'active' && (changes.slug", 'false && (changes.slug'],
    ['a publisher edits', "isEdit ? 'workflows.edit' : 'workflows.publish'", "'workflows.publish'"],
    [
      'an author deletes an active workflow',
      "if (workflow.status === 'active') await requirePermission",
      'if (false) await requirePermission',
    ],
  ]),
  ...of('packages/db/src/executions/waits/approvers.ts', 'integration:integration/api/approvals', [
    [
      'editors decide for approvers',
      'CASE WHEN w.approver_people IS NULL AND w.approver_roles IS NULL THEN',
      'CASE WHEN true THEN',
    ],
    ['an address that somebody chose decides', ' AND ${isProved})', ')'],
    ['another workspace says whose an address is', 'i.workspace_id = m.workspace_id AND ', ''],
    ['whoever started a run decides', 'm.user_id IS NOT DISTINCT FROM e.started_by OR ', ''],
    ['whoever saved a version decides', ' OR m.user_id IS NOT DISTINCT FROM v.created_by', ''],
    ['whoever was in the runs before decides', '\n      OR coalesce(m.user_id = ANY (e.involved), false)', ''],
    [
      'a link answers for approvers',
      'NOT ${isLimited} AND w.four_eyes IS NOT TRUE AS "isApprover"',
      'true AS "isApprover"',
      'no version with both can be saved',
    ],
  ]),
  ...of('packages/db/src/executions/waits/decide.ts', 'integration:integration/api/approvals', [
    ['who may not answer is not told so', '    requireMayAnswer(waits, run.role);\n', ''],
  ]),
  ...of('packages/db/src/executions/waits/list-waits.ts', 'integration:integration/api/approvals', [
    [
      'an approver sees what others answer',
      "roleMay(role, 'runs.read') && query.canAnswer !== true ?",
      'query.canAnswer !== true ?',
    ],
  ]),
  ...of('packages/db/src/executions/start/start-child.ts', 'integration:integration/api/approvals', [
    ['a run hides who started it behind another', 'p.started_by, p.involved', 'NULL::uuid AS started_by, p.involved'],
    ['whoever saved the version of a parent decides', 'started_by, ${INVOLVED},', 'started_by, involved,'],
  ]),
  ...of('packages/nodes/src/work/approvers.ts', 'integration:integration/api/approvals', [
    ['a link answers for approvers', 'if (allowLinks === true && (', 'if (false && ('],
  ]),
  ...of('packages/db/src/executions/start/read-for-rerun.ts', 'integration:integration/api/activations', [
    ['what a sandbox decided has effects', "executionMode === 'sandbox' && mode !== 'sandbox'", 'false'],
    ['an operator uses outputs of mocks', "  if (run.isMocked && !roleMay(run.role, 'runs.test'))", '  if (false)'],
  ]),
  ...of('packages/db/src/executions/start/admission.ts', 'integration:integration/api/activations', [
    ['mocks are forgotten by a rerun', '(o.mocks IS NOT NULL OR o.has_mocked)', '(o.mocks IS NOT NULL)'],
    [
      'an operator starts an old version',
      "        WHEN ${IS_OLD_VERSION} AND NOT ${memberMay('runs.test')} THEN 'oldVersion'\n",
      '',
    ],
  ]),
  ...of('packages/db/src/executions/start/admission.ts', 'integration:integration/executions/error-workflows', [
    ['a failure frees who started the run', 'coalesce(admitted.rerun_of, admitted.error_of)', 'admitted.rerun_of'],
  ]),
  ...of('packages/db/src/executions/start/admission.ts', 'integration:integration/api/approvals', [
    ['a rerun frees the first starter', '${INVOLVED}, ${HAS_MOCKED}', 'NULL::uuid[], ${HAS_MOCKED}'],
  ]),
  ...of('apps/api/src/runs/test-run.ts', 'integration:integration/api/activations', [
    [
      'an operator decides by mocks',
      "  if (isTest(parts)) await requireWorkflow(db, caller, workflowId, 'runs.test');\n",
      '',
    ],
  ]),
  ...of('packages/contracts/src/permissions.ts', 'integration:integration/api/activations', [
    ['an operator deletes many runs', "delete: 'runs.delete'", "delete: 'runs.control'"],
  ]),
  ...of('packages/db/src/executions/start/start-once.ts', DEBOUNCE, [
    ['the key of a joined start names no run', 'const id = into === undefined ?', 'const id = true ?'],
  ]),
  ...of('packages/db/src/concurrency/keys.ts', KEYS, [
    [
      'runs of a key are in the order of their ids',
      'row_number() OVER (ORDER BY e.created_at, e.id)',
      'row_number() OVER (ORDER BY e.id)',
    ],
    ['a start does not lock its key', 'await lockKeys(tx, [key]);', ''],
    ['a freed slot does not lock its key', 'await lockKeys(tx, keys);\n    return dispatch', 'return dispatch'],
    ['one more run than the limit begins', 'held.runs + w.position <= w', 'held.runs + w.position <= 1 + w'],
    ['a run overtakes one whose limit is lower', 'bool_and(held.runs', '(held.runs'],
    [
      'a key counts for all workflows',
      'AND e.workflow_id = k.workflow_id AND e.concurrency_key = k.key\n      ) held',
      'AND e.concurrency_key = k.key\n      ) held',
    ],
    ['a delayed run begins before its time', 'AND ${IS_RESTING} AND e.wake_at IS NULL', 'AND ${IS_RESTING}'],
    ['an expired run takes a slot', ' AND ${mayBegin()}`', '`'],
    [
      'a start whose response was lost stops or rejects',
      'others.length >= limit && !isLanded',
      'others.length >= limit',
    ],
    ['a start that is rejected leaves its run', "if (isOver && onLimit === 'reject') throw new LimitReached();", ''],
    [
      'a start that may not start stops others',
      "if (!isAccepted(verdict)) return { kind: 'refused', verdict };",
      "if (!isAccepted(verdict) && oldest.length === 0) return { kind: 'refused', verdict };",
    ],
  ]),
  ...of('packages/db/src/executions/start/admission.ts', KEYS, [
    ['a run with a key can be claimed at once', " OR ${options} -> 'concurrency' IS NOT NULL)`", ')`'],
  ]),
  ...of('packages/db/src/executions/claim/reconcile.ts', KEYS, [
    [
      'a delayed run begins without a slot of its key',
      'const hasKey = Prisma.sql`NOT ${LACKS_KEY}`',
      'const hasKey = Prisma.sql`true`',
    ],
  ]),
  ...of('packages/db/src/executions/pause.ts', KEYS, [
    ['a resumed run begins without a slot of its key', ' AND NOT ${LACKS_KEY}', ''],
  ]),
  ...of('packages/db/src/executions/claim/claim.ts', LIMITS, [
    ['a limit of the workspace is not seen', 's.max_concurrent_executions IS NOT NULL', 'false'],
    ['a limit of the workflow is not seen', 'f.max_concurrent_executions IS NOT NULL', 'false'],
    ['a held back run stays marked once it is claimed', 'held_back_at = NULL, revision', 'revision'],
  ]),
  ...of('packages/db/src/executions/claim/release.ts', FENCES, [
    ['release does not compare the token', 'AND e.claim_token = h.token ', ''],
  ]),
  ...of('packages/db/src/executions/claim/recover.ts', RECOVER, [
    [
      'paused runs of lost workers are not recovered',
      '::uuid[]) AND ${IS_HELD}\n      ${LOCK',
      "::uuid[]) AND ${IS_HELD} AND e.status <> 'paused'\n      ${LOCK",
    ],
    ['a paused run fails', 'losses > DELAYS_SECONDS.length && !isPaused', 'losses > DELAYS_SECONDS.length'],
    ['every run counts the loss', 'blockingRun === null || blockingRun === run.id ? 1 : 0', '1'],
    [
      'no run counts a loss of unknown cause',
      'blockingRun === null || blockingRun === run.id ? 1 : 0',
      'blockingRun === run.id ? 1 : 0',
    ],
    [
      'runs are taken that were not asked for',
      'e.id = ANY(${[...executionIds]}::uuid[]) AND e.worker_id',
      'e.worker_id',
    ],
    ['a delayed run is dispatched at once', "e.status = 'running' AND r.delay = 0", "e.status = 'running'"],
    [
      'a delayed run is never woken',
      "wake_at = CASE WHEN e.status = 'running' AND r.delay > 0 THEN now() + r.delay * interval '1 second' END",
      'wake_at = NULL',
    ],
    ['the worker keeps its runs', 'SET worker_id = NULL, time_left_ms', 'SET time_left_ms'],
  ]),
  ...of('packages/db/src/executions/run-status.ts', TIME_LIMIT, [
    ['time while a run rests counts', '* 1000)::bigint) END`', '* 1000 - 1000000)::bigint) END`'],
    [
      'less than no time is left',
      'ELSE greatest(0, (extract(epoch FROM e.held_until - now()) * 1000)::bigint) END',
      'ELSE (extract(epoch FROM e.held_until - now()) * 1000)::bigint END',
    ],
  ]),
  ...of('packages/db/src/checkpoints/write-checkpoints.ts', TIME_LIMIT, [
    [
      'a resting run keeps the time that it used',
      'CASE WHEN a.ends AND a."isResting" AND a."claimedBy" IS NULL THEN ${TIME_LEFT} ELSE e.time_left_ms END',
      'e.time_left_ms',
    ],
    [
      'a first checkpoint sets no limit',
      'whenClaiming(heldUntil(Prisma.sql`now()`), Prisma.sql`e.held_until`)',
      'whenClaiming(Prisma.sql`e.held_until`, Prisma.sql`e.held_until`)',
    ],
  ]),
  ...of('packages/runtime/src/signed-token.ts', 'unit:packages/runtime/src/answer-token', [
    ['any signature is valid', 'return isSigned ? ', 'return text.length > 0 ? '],
    [
      'a token has other spellings',
      "if (bytes.toString('base64url') !== token) return undefined;",
      'if (bytes.length === 0) return undefined;',
    ],
    ['links of a former key are not valid', 'keys.some((key) =>', 'keys.slice(0, 1).some((key) =>'],
  ]),
  ...of('apps/api/src/runs/answer.ts', LINKS, [
    [
      'a link answers what it may not',
      'answerer.userId === null && !allowsLinks(details)',
      'answerer.userId === null && details.length === 0',
      'the page of the link refuses it before, and details of a wait never change',
    ],
  ]),
  ...of('apps/api/src/links/link-state.ts', LINKS, [
    ['a link shows and answers what it may not', 'if (!allowsLinks(wait.details)) ', 'if (wait.details.length === 0) '],
  ]),
  ...of('apps/api/src/links/link-router.ts', LINKS, [
    [
      'a GET answers',
      'const link = await openLink(context, request);\n      sendPage(response, statusOf(link.state), linkPage(link.state, pageLanguageOf(request), link));',
      "const link = await openLink(context, request);\n      await recordDecision(context, { userId: null, origin: () => originOf(request, null) }, { ...link.place, decision: 'approved', comment: null });\n      sendPage(response, statusOf(link.state), linkPage(link.state, pageLanguageOf(request), link));",
    ],
  ]),
  ...of('apps/api/src/links/send-page.ts', LINKS, [
    ['a form of another site is taken', "      : site !== 'same-origin' && site !== 'none';", '      : false;'],
  ]),
  ...of('packages/db/src/files.ts', FILE_STORE, [
    [
      'files that finish at once exceed the quota',
      'AND storage_quota_bytes IS NOT NULL FOR NO KEY UPDATE`',
      'AND storage_quota_bytes IS NOT NULL`',
    ],
    [
      'changes that are not summed up yet take no room',
      'FROM storage_changes c WHERE c.workspace_id = w.id)',
      'FROM storage_changes c WHERE false)',
    ],
  ]),
  ...of('apps/api/src/forms/form-router.ts', FORMS, [
    ['a public form of another site is taken', '    requireOwnPage(request);\n', ''],
    ['one network fills in a form without end', '  await context.linkLimit.submission(sender);\n', ''],
    ['forms pass by the rate limit of their workflow', 'if (rate.isBeyond) throw', 'if (false) throw'],
    [
      'a form that does not fit its schema is read on',
      'if (issues.length > 0) throw',
      'if (false) throw',
      'the start of the run checks the data, too',
    ],
    ['files of a refused form stay', 'await sent?.discard();', ''],
    ['two clicks start two runs', 'SUBMISSION.test(submission)', 'false'],
  ]),
  ...of('apps/api/src/forms/find-form.ts', FORMS, [
    ['a form of an inactive workflow is open', ' || (!isTest && !isActive),', ','],
    ['the test URL of a form is always open', '!isTest || testUserId !== null', 'true'],
    ['the URL of a webhook shows a form', " || node.type !== 'trigger.form'", ''],
  ]),
  ...of('apps/api/src/http/observe-requests.ts', LINKS, [['the log has tokens', '(?:answer|files)', 'answers']]),
  ...of('packages/db/src/executions/waits/decide.ts', ANSWERS, [
    ['an answer ends a wait that has ended', 'AND answered_at IS NULL\n    RETURNING', 'RETURNING'],
    [
      'an answer counts after its time',
      'SET answer = CASE WHEN ${isTimeUp} THEN NULL ELSE ${wait.answer} END',
      'SET answer = ${wait.answer}',
    ],
  ]),
  ...of('packages/db/src/executions/waits/decide.ts', 'integration:integration/api/approvals', [
    ['any answer repeats an unconfirmed one', "isUnconfirmed && request.isSame(answer ?? '')", 'isUnconfirmed'],
    [
      "somebody else's answer repeats an unconfirmed one",
      ' AND w.answered_by IS NOT DISTINCT FROM ${userId}::uuid',
      '',
    ],
    ['one of several open waits is decided', 'inTime.length > 1 &&', 'inTime.length > 99 &&'],
  ]),
  ...of('packages/db/src/executions/waits/end-waits.ts', ANSWERS, [
    ['the time ends an answered wait', 'AND answered_at IS NULL AND ${isTimeUp}', 'AND ${isTimeUp}'],
  ]),
  ...of('packages/engine/src/run/run-execution.ts', RUN_LOOP, [
    [
      'a run rests on what came while others had their turn',
      'if (this.#mayStart() && this.#waits.hasEnded()) continue;',
      '',
    ],
    ['due attempts have no limit', '      if (!this.#mayStart()) return;\n    }', '    }'],
    ['attempts are counted anew', '...progress, attempts: progress.attempts + 1', '...progress, attempts: 1'],
  ]),
  ...of('packages/engine/src/run/waits.ts', RUN_LOOP, [
    ['a resumption is missed meanwhile', 'return this.#held.length > 0 || [...', 'return [...'],
  ]),
  ...of('packages/engine/src/run/progress.ts', RUN_LOOP, [
    ['a rest that does not count is an attempt', 'attempts - uncounted, random', 'attempts, random'],
    ['a long delay holds a place', 'if (delayMs > MAX_RETRY_DELAY_IN_WORKER_MS) {', 'if (delayMs < 0) {'],
    ['a short delay rests', 'if (delayMs > MAX_RETRY_DELAY_IN_WORKER_MS) {', 'if (delayMs > 0) {'],
  ]),
  ...of('packages/engine/src/run/run-execution.ts', 'unit:tests/engine/(model|loop-conditions)', [
    [
      'an iteration that has begun asks its condition again',
      'hasBegun(this.#request.records, task, iteration) || goesOn',
      'goesOn',
    ],
    [
      'the position of a loop is lost while an output is loaded',
      'this.#resumeRepeat(task, container.rule, position);',
      'this.#recorder.reached(task);\n        this.#resumeRepeat(task, container.rule, position);',
    ],
  ]),
  ...of('packages/nodes/src/http/pagination.ts', 'unit:http/pagination', [
    [
      'a page of another origin gets the credential',
      'if (following && following.origin !== first.origin)',
      'if (number < 0)',
    ],
    ['pages have another maximum', 'if (number === maxPages) {', 'if (number === 50) {'],
  ]),
  ...of('packages/nodes/src/http/sender.ts', 'unit:http/pagination', [
    ['each page may be as long as all of them', 'bytesLeft -= answer.body.byteLength;', ''],
  ]),
  ...of('packages/engine/src/run/run-execution.ts', 'unit:tests/engine/early-joins', [
    [
      'the outcome of a cancelled node counts',
      'return this.#isOver() || !this.#scheduler.isOpen(task);',
      'return this.#isOver();',
    ],
  ]),
  ...of('packages/engine/src/run/recorder.ts', 'unit:tests/engine/early-joins', [
    ['a cancelled node is not aborted', '    this.#inFlight.abort(node, scope);\n', ''],
    ['a decision is not recorded', "this.note(node, scope, 'pending', undefined, {});", ''],
    [
      'a resumed run decides again',
      'const decision = record && storedDecision(record);',
      'const decision = undefined;',
    ],
    ['a node that its record settles is cancelled', 'return isSettled(this.find(node, scope));', 'return false;'],
    ['nodes of a cancelled loop stay in progress', 'this.#stopInside(node.body, scope);', ''],
  ]),
  ...of('packages/db/src/checkpoints/rows.ts', 'integration:integration/worker/early-joins', [
    [
      'a cancelled wait stays open',
      "AND w.kind <> 'workflow' THEN now() END",
      "AND w.kind = 'workflow' THEN now() END",
    ],
  ]),
  ...of('packages/db/src/checkpoints/rows.ts', ANSWERS, [
    ['cancelling ends an answered wait', ' AND waits.answered_at IS NULL', ''],
  ]),
  ...of('packages/db/src/executions/end/stop-orphans.ts', 'integration:integration/executions/families', [
    [
      'a child that is not accepted yet is forgotten',
      'OR EXISTS (SELECT 1 FROM executions c WHERE c.id = w.child_execution_id) END',
      'OR true END',
    ],
  ]),
  ...of('packages/db/src/executions/waits/end-waits.ts', 'integration:integration/executions/families', [
    [
      'a cancelled wait wakes its run',
      'AND w.cancelled_at IS NULL AND ${isFinished',
      'AND ${isFinished',
      'the statement that ends the waits asks again; this one only saves it the work',
    ],
  ]),
  ...of('packages/db/src/locks/run-locks.ts', 'e2e:e2e/queue/taken-runs', [
    ['a lock is not granted to a request that does not wait', 'l.due_at >= now()', 'l.due_at > clock_timestamp()'],
  ]),
  ...of('packages/db/src/locks/run-locks.ts', 'integration:integration/executions/run-locks', [
    [
      'holders of a lock are not counted',
      'AND (SELECT count FROM held) + w.place <= w.max_holders',
      'AND w.place <= w.max_holders',
    ],
    ['those who wait for a lock overtake', 'min(f.max_holders) OVER (ORDER BY f.seq) AS', 'f.max_holders AS'],
    [
      'a lock is decided by several at once',
      'return lockNames(tx, [`lock ${workspaceId} ${key}`]);',
      'return lockNames(tx, []);',
    ],
    ['a lock is granted after its time', 'AND (l.due_at IS NULL OR l.due_at >= now())', ''],
    [
      'a cancelled node holds its lock',
      "AND l.iteration = '' AND n.status = 'stopped')",
      "AND l.iteration = '' AND false)",
    ],
    [
      'a node that is cancelled meanwhile keeps its lock',
      ' AND (e.finished_at IS NOT NULL OR e.revision = g.revision)',
      '',
    ],
    [
      'a run with locks that remain is forgotten',
      'CASE WHEN EXISTS (SELECT 1 FROM run_locks l WHERE l.execution_id = e.id) THEN 1 END',
      'NULL',
    ],
    [
      'the end of a run frees its locks only if its worker does',
      'requester: added > 0 ? executionId : undefined',
      'requester: undefined',
    ],
    ['those beyond a batch wait for a lock that is free', 'ids.slice(0, 1)', '[]'],
    [
      'a run releases the locks of others',
      'WHERE l.execution_id = ${executionId}::uuid AND l.workspace_id',
      'WHERE l.workspace_id',
    ],
  ]),
  ...of('apps/worker/src/session/key-transactions.ts', 'e2e:e2e/queue/taken-runs', [
    ['runs that want one key take all connections', 'MAX_TRANSACTIONS, MAX_PER_OWNER', '1_000, 1_000'],
  ]),
  ...of('packages/engine/src/lint/find-warnings.ts', 'unit:tests/engine/warnings.test', [
    [
      'a rule that throws fails the save',
      'return this.#check?.(node) ?? [];\n    } catch {',
      'return this.#check?.(node) ?? [];\n    } catch (error) {\n      if (error) throw error;',
    ],
  ]),
  ...of('packages/engine/src/lint/secrets.ts', 'unit:tests/engine/warnings.test', [
    ['a warning repeats the secret', 'It contains ${found}:', 'It contains ${found} ${text}:'],
    ['a secret that is stored encrypted has a warning', 'kept.has(String(name)) ? undefined : ', ''],
  ]),
  ...of('packages/engine/src/run/scheduler.ts', 'unit:tests/engine/try', [
    ['a failure leaves the rest of the body of its try', '    this.#cancelScope(body);\n', ''],
    [
      'a try counts as an iteration',
      'node.body.catches ? scope.iteration : joinIteration',
      'node.body.catches ? joinIteration(scope.iteration, index) : joinIteration',
    ],
  ]),
  ...of('packages/engine/src/run/scope.ts', 'unit:tests/engine/try', [
    [
      'the outermost try catches',
      'while (at && !at.region.catches && !at.region.steps) at = at.parent;\n  return at;',
      'while (at?.parent) at = at.parent;\n  return at;',
    ],
  ]),
  ...of('packages/engine/src/run/scheduler.ts', 'unit:tests/engine/agent', [
    [
      'the model is asked while a call is in progress',
      '    if (open.size > 0) return;\n    if (progress.next > 0 && ',
      '    if (progress.next > 0 && ',
    ],
    [
      'a call calls each tool',
      'const isTaken = edge.target.id === scope.call?.nodeId;',
      'const isTaken = edge.target.id !== undefined;',
    ],
    ['a call is made before a person decides', 'if (call.asks && ', 'if (call.asks === undefined && '],
    [
      'a person is asked about a call that the run leaves out',
      'if (call.asks && !this.#isCallLeftOut(scope)) {',
      'if (call.asks) {',
    ],
    ['a call that a person rejected is made', 'if (handle === APPROVED) {', 'if (handle !== undefined) {'],
    [
      'an agent in which the run ends goes on',
      'if (progress.next > 0 && this.#ports.isCut(progress.node)) {',
      'if (progress.next < 0) {',
    ],
    ['a call that has ended is made again', 'if (earlier !== undefined) {', 'if (earlier === null) {'],
  ]),
  ...of('packages/nodes/src/models/agent-answer.ts', 'unit:tests/engine/agent.test', [
    [
      'a call that was refused is made',
      "part.type === 'call' && part.problem === undefined\n",
      "part.type === 'call'\n",
    ],
    ['the model is told all of a long output', 'text.length <= MAX_TOLD', 'text.length <= Infinity'],
  ]),
  ...of('packages/db/src/model-calls.ts', 'integration:integration/executions/model-budget', [
    [
      'calls at the same time exceed the tokens of a month',
      'WHERE coalesce(least(m.tokens, ${MAX_SUM}) + excluded.tokens <= (SELECT tokens FROM limited), true)',
      'WHERE true',
    ],
    [
      'calls at the same time exceed the costs of a month',
      'AND coalesce(least(m.micro_usd, ${MAX_SUM}) + excluded.micro_usd <= (SELECT micro_usd FROM limited), true)',
      '',
    ],
    [
      'the first call of a month exceeds its costs, and a model without a price costs nothing',
      'AND ((SELECT micro_usd FROM limited) IS NULL OR coalesce(n.micro_usd <= (SELECT micro_usd FROM limited), false))',
      '',
    ],
    [
      'the first call of a month exceeds its tokens',
      'AND coalesce(n.tokens <= (SELECT tokens FROM limited), true)',
      '',
    ],
    [
      'a call that is repeated reserves its tokens twice',
      'WHERE NOT EXISTS (SELECT FROM known)',
      'WHERE true',
      'the id of the call then fails the whole statement, which counts as counted: it only saves that',
    ],
    [
      'a repetition at the limit is refused, although its first try was counted',
      "if (!found || found.isCounted) return { kind: 'counted' };\n  const {",
      "if (!found) return { kind: 'counted' };\n  const {",
    ],
    [
      'a settled call is settled again',
      'WHERE id = ${id}::uuid AND settled_at IS NULL\n      RETURNING workspace_id, started_at, input_tokens',
      'WHERE id = ${id}::uuid\n      RETURNING workspace_id, started_at, input_tokens',
    ],
  ]),
  ...of('packages/db/src/agent-memories.ts', 'integration:integration/executions/agent-memory', [
    ['an agent that writes again appends', 'const kept = [...others, added]', 'const kept = [...before, added]'],
    [
      'agents that write at the same time lose exchanges',
      'RETURNING m.exchanges, now() AS at',
      "RETURNING '[]'::jsonb AS exchanges, now() AS at",
    ],
    ['an agent that ends exceeds the limit', 'now() WHERE ${hasRoom({ workspaceId, key })}', 'now() WHERE true'],
    ['a workspace has any number of memories', "if (found?.isFull === true) return 'full';", ''],
    [
      'a viewer erases memories',
      "requirePermission(tx, actor, workspaceId, 'runs.delete')",
      "requirePermission(tx, actor, workspaceId, 'runs.read')",
    ],
  ]),
  ...of('packages/nodes/src/models/ask-agent.ts', 'unit:tests/engine/agent-memory', [
    ['a memory is trusted', ' || exchanges.length > 0;', ';'],
    ['a memory has the secret of a credential', 'const said = masked.kind', 'const said = true ? answer : masked.kind'],
  ]),
  ...of('packages/nodes/src/models/agent-memory.ts', 'unit:tests/engine/agent-memory', [
    ['each turn reads the memory again', 'if (first) return', 'if (first && !use) return'],
  ]),
  ...of('packages/nodes/src/models/call-question.ts', 'unit:tests/engine/agent-(questions|injections)', [
    ['a tool with effects is called, whatever was read', 'hasEffects && hasForeignText', 'false'],
    ['a person approves arguments that nobody reads', 'return length <= MAX_ASKED', 'return length >= 0'],
    ['a question hides characters', 'line.replace(HIDDEN, escaped)', 'line'],
  ]),
  ...of('packages/nodes/src/models/agent-tools.ts', 'unit:tests/engine/agent-(questions|injections)', [
    ['a forbidden tool is called', "permission === 'forbidden'", 'false'],
    ['results of tools are trusted', 'turns.some(({ results }) => results.length > 0)', 'false'],
  ]),
  ...of('packages/engine/src/run/agent-steps.ts', 'unit:tests/engine/agent-(questions|injections)', [
    ['data of the run is trusted', 'nodes.length > 0 || [...names].some((name) => !OWN_DATA.has(name))', 'false'],
    ['effects after the first node are none', 'for (const { target } of outgoing) found.add(target);', ''],
  ]),
  ...of('packages/nodes/src/models/ask-agent.ts', 'unit:nodes/src/types/agent.test', [
    ['an answer by a schema that was cut is asked for again', 'if (isCut) throw cut();', ''],
    ['an answer has any number of parts', 'if (content.length > MAX_PARTS) {', 'if (content.length < 0) {'],
    ['a conversation has any length', 'if (length <= MAX_CONVERSATION) return;', 'if (length >= 0) return;'],
    ['a final answer comes before the results', 'if (!areOthers) return parts;', 'return parts;'],
  ]),
  ...of('packages/nodes/src/types/agent.ts', 'unit:tests/engine/agent.test', [
    ['an agent asks beyond maxTurns', 'if (turns.length >= maxTurns) {', 'if (turns.length > 200) {'],
    ['an agent asks beyond maxTokens', 'if (maxTokens === undefined || used < maxTokens) return;', 'return;'],
  ]),
  ...of('packages/engine/src/run/scheduler.ts', 'unit:tests/engine/model', [
    [
      'a try has a position',
      'if (!node.body?.catches) this.#loops.add(progress);',
      'this.#loops.add(progress);',
      'its position would say what the records around it say, too: it only saves writing it',
    ],
  ]),
  ...of('packages/engine/src/run/reuse-records.ts', 'unit:tests/engine/try', [
    [
      'a rerun repeats iterations that a try cancelled after they finished',
      '    if (isTry(container)) continue;\n',
      '',
    ],
    [
      'a rerun from a node leaves what a try caught',
      'if (record && isTry(node) && isReopened(node, scope)) {',
      'if (record && isTry(node) && settled.size < 0) {',
    ],
    [
      'a rerun repeats a try in iterations that finished',
      ' && isRepeated(source, before, iteration, around.slice(0, depth))',
      '',
    ],
  ]),
  ...of('packages/queue/src/traffic.ts', 'integration:integration/queue/traffic', [
    [
      'a request that has a place gets another one',
      "if holds and tonumber(at) > now + ARGV[7] then return { 'waiting', tonumber(at) - now, '' } end",
      'holds = false',
    ],
    [
      'requests that wait overtake',
      "redis.call('SET', KEYS[1], string.format('%.3f ', arrival + interval) .. ARGV[1], 'PX', ttl)",
      "if wait <= 0 then redis.call('SET', KEYS[1], string.format('%.3f ', arrival + interval) .. ARGV[1], 'PX', ttl) end",
    ],
    ['all requests are probes', 'if running >= probes then', 'if running < 0 then'],
    ['a late report changes the circuit', "if opened ~= ARGV[2] then return 'ignored' end", ''],
    ['a dead probe keeps the circuit open', 'if lease <= now then running = 0 end', ''],
  ]),
  ...of('packages/nodes/src/http/client.ts', 'unit:http/client', [
    ['a server gets a request twice that it may get once', '!mayRepeat || ', ''],
    ['a connection that a request authenticated is used again', 'signal, reset },', 'signal },'],
  ]),
  ...of('packages/db/src/executions/start/start-once.ts', 'integration:integration/webhooks/completion', [
    ['a failed run keeps the id of its sender', "AND e.status IN ('failed', 'timeout')", 'AND false'],
    ['a failed run frees a key of a caller', '${key}.body_hash = ${SENDER_KEYS.freed} AND e.status', 'e.status'],
    ['a run that has responded frees the id of its sender', ' AND e.response IS NULL', ''],
  ]),
  ...of('packages/db/src/executions/start/admission.ts', 'integration:integration/webhooks/urls', [
    ['a remembered webhook starts what is not active any more', '${isStillWebhook} IS NOT TRUE', 'false'],
  ]),
  ...of('packages/db/src/executions/start/start-once.ts', 'integration:integration/webhooks/urls', [
    ['the workflow that had a URL before replays requests', ", 'webhookMoved')", ')'],
  ]),
  ...of('apps/api/src/webhooks/router.ts', 'integration:integration/webhooks/urls', [
    ['a remembered webhook refuses callers', 'mayBeOutdated(error, progress)) {', 'false) {'],
  ]),
  ...of('packages/runtime/src/signatures.ts', 'unit:runtime/src/signatures', [
    ['a result is believed without its signature', 'isSigned ? text : undefined', 'text'],
  ]),
  ...of('packages/db/src/webhooks/urls.ts', 'integration:integration/webhooks/urls', [
    ['a workflow takes the path of another', 'if (taken) throw', 'if (isTaken) throw'],
    ['two triggers have one path and one method', '  requireDistinct(wanted, suffixes);\n', ''],
  ]),
  ...of('packages/nodes/src/models/guarded-fetch.ts', 'unit:nodes/src/types/model.test', [
    ['a provider redirects a request with its key', 'followRedirects: false', 'followRedirects: true'],
  ]),
  ...of('packages/nodes/src/models/call-model.ts', 'unit:nodes/src/types/model.test', [
    ['anything counts as tokens', 'Number.isSafeInteger(count) && count > 0', 'true'],
    ['a provider that is busy ends the node', '408, 409, 425, 429', '408, 409, 425'],
  ]),
  ...of('packages/nodes/src/postgres/client.ts', 'integration:integration/nodes/postgres.test', [
    ['a session keeps what a statement left in it', 'else void giveBack(client);', 'else client.release();'],
  ]),
  ...of('packages/nodes/src/postgres/pools.ts', 'integration:integration/nodes/postgres.test', [
    ['credentials share connections', '[owner, target.config.host,', '[target.config.host,'],
  ]),
  ...of('packages/nodes/src/http/dispatcher.ts', 'unit:http/client', [
    ['a request is sent again that a new connection has failed', 'socket.bytesRead > 0 && ', ''],
  ]),
  ...of('packages/nodes/src/http/resumed-body.ts', 'unit:http/resumed-body', [
    [
      'a file is put together from two versions',
      "['etag', 'last-modified', 'content-encoding'].every((name) => isSame(name, first, response))",
      'true',
    ],
    [
      'a range that overlaps is taken',
      "response.headers['content-range'] === `bytes ${from}-${bytes - 1}/${bytes}`",
      "response.headers['content-range'] !== undefined",
    ],
    ['a weak entity tag is trusted', '/^"[^"]*"$/', '/"[^"]*"$/'],
  ]),
  ...of('packages/nodes/src/http/traffic-limits.ts', 'unit:http/traffic-limits', [
    [
      'a stop counts as a failure of the host',
      "return reason instanceof NodeError && reason.code === 'NODE_TIMEOUT' && ranMs >= FAIR_MS;",
      'return true;',
    ],
    [
      'a refused request counts as a failure of the host',
      " && error.code === 'HTTP_REQUEST_FAILED' && error.isRetryable",
      '',
    ],
  ]),
  ...of('packages/engine/src/run/reuse-records.ts', 'unit:tests/engine/reuse-records', [
    ['a finished loop with a condition keeps iterations', ' && !this.#isInRepeatedLoop(record)', ''],
  ]),
  ...of('packages/engine/src/run/scheduler.ts', 'unit:tests/engine/nodes-until', [
    ['a run up to a node runs others', 'if (cell.taken > 0 && !isLeftOut)', 'if (cell.taken > 0)'],
    ['an early join after a tested node cancels it', 'if (edge.target.join && !isLeftOut)', 'if (edge.target.join)'],
  ]),
  ...of('packages/engine/src/run/iterations.ts', 'unit:tests/engine/nodes-until', [
    ['a loop with a shortened body goes on', 'if (index > 0 && isCut(node, request.until))', 'if (false)'],
  ]),
  ...of('apps/api/src/runs/test-run.ts', 'integration:integration/api/run-until-node', [
    ['a run up to a node counts as a success of the workflow', "(usual === 'normal' ? 'test' : usual)", 'usual'],
  ]),
  ...of('apps/api/src/runs/test-run.ts', 'integration:integration/api/mocks', [
    ['a live run has mocks', "if (asked === 'normal') {", "if (asked === 'normal' && !parts.mocks) {"],
  ]),
  ...of('packages/db/src/retention.ts', 'integration:integration/api/mocks', [
    ['a run without its data keeps its mocks', ' mocks = NULL,', ''],
  ]),
  ...of('apps/api/src/routes/executions/rerun.ts', 'integration:integration/api/mocks', [
    [
      'a key that may not start runs gives mocks to one',
      "if (mocks !== undefined && caller.kind === 'key')",
      'if (rerunOf === undefined)',
    ],
  ]),
  ...of('packages/engine/src/run/progress.ts', RUN_LOOP, [
    ['a minimum delay has no bound', 'Math.min(minDelayMs, LONGEST_MIN_DELAY_MS)', 'minDelayMs'],
    ['a minimum delay is ignored', 'own >= least ? own', 'own >= 0 ? own'],
  ]),
  ...of('packages/engine/src/run/records.ts', RUN_LOOP, [
    ['every rest of a node is the same wait', 'iteration: `${iteration}~${attempts}`', 'iteration: `${iteration}~`'],
  ]),
  ...of('apps/worker/src/session/wait-timer.ts', WAIT_TIMER, [
    ['a wait that begins meanwhile is forgotten', 'state.next, nextMs === null', 'Infinity, nextMs === null'],
    ['a stopped timer may still write', "state.name === 'ending' ? state.ended : NOTHING", 'NOTHING'],
    ['a later wait delays an earlier one', "(state.name === 'armed' && at < state.at)", "state.name === 'armed'"],
    ['a timer goes further than Node.js can', ', MAX_SLEEP_MS)', ', Infinity)'],
  ]),
  ...of('packages/outputs/src/object-store.ts', 'unit:outputs/src/object-store', [
    [
      'every refusal is a missing object',
      'if (error instanceof s3.NoSuchKey || isBeyondEnd(error)) return undefined;',
      'return undefined;',
    ],
  ]),
  ...of('apps/worker/src/session/drive-run.ts', 'integration:integration/worker/timers', [
    ['nobody ends waits beside other branches', 'if (dueAt !== null) waitTimer', 'if (dueAt === -1) waitTimer'],
  ]),
  ...of('packages/db/src/migrations/migration-lock.ts', MIGRATIONS, [
    [
      'a process waits for the lock in PostgreSQL',
      'pg_try_advisory_lock($1) AS acquired',
      'pg_advisory_lock($1) IS NOT NULL AS acquired',
    ],
  ]),
  ...of('packages/db/src/migrations/apply-migrations.ts', MIGRATIONS, [
    ['a time limit of the database ends a migration', 'SET statement_timeout = 0;', ''],
    ['a process that stops keeps its locks', "SET idle_in_transaction_session_timeout = '60s';", ''],
    [
      'a process that waited applies what is applied',
      'const pending = pendingOf(migrations, await readApplied(client));',
      'const pending = migrations;',
    ],
    ['an edited migration passes', 'if (hasChecksum(sql, checksum)) return false;', 'return false;'],
  ]),
  ...of('packages/db/src/migrations/apply-migration.ts', MIGRATIONS, [
    ['a concurrent statement gives up after two seconds', '? 0 : LOCK_TIMEOUT_MS', '? 2_000 : LOCK_TIMEOUT_MS'],
    ['a migration waits for a table without a limit', 'SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}', 'SELECT 1'],
    ['a migration that met a lock is not tried again', "['55P03', '40P01']", "['40P01']"],
    ['attempts never end', 'attempt >= patience.maxAttempts', 'false'],
    ['statements that cannot be repeated run', 'statements.forEach(assertRepeatable);', ''],
  ]),
  ...of('packages/db/src/migrations/migration-records.ts', MIGRATIONS, [
    ['what was left unfinished stays so', 'WHERE finished_at IS NULL AND rolled_back_at IS NULL', 'WHERE false'],
    ['what was not finished counts', 'WHERE finished_at IS NOT NULL AND', 'WHERE'],
    ['what was rolled back counts', 'IS NOT NULL AND rolled_back_at IS NULL`', 'IS NOT NULL`'],
    ['a database of something else is migrated', 'state?.tables !== 0', 'false'],
  ]),
  ...of('packages/db/src/migrations/migration-files.ts', MIGRATIONS, [
    ['line endings count', "[sql, unix, unix.replaceAll('\\n', '\\r\\n')]", '[sql, unix]'],
  ]),
  ...of('packages/db/src/migrations/repeatable-statement.ts', MIGRATIONS, [
    ['an invalid index is kept', 'AND NOT indisvalid', 'AND false'],
    ['a valid index is built again', ' AND NOT indisvalid', ''],
    ['a detachment that was begun is left', "if (state === 'detaching')", 'if (false)'],
    ['a detached partition is detached again', "if (state === 'attached')", "if (state !== 'detaching')"],
  ]),
  ...of('packages/db/src/executions/claim/reconcile.ts', MAINTENANCE, [
    ['a run that is not due is woken', 'AND e.wake_at <= now() AND ${IS_RESTING}', 'AND ${IS_RESTING}'],
    ['a paused run is woken', 'AND e.wake_at <= now() AND ${IS_RESTING}', 'AND e.wake_at <= now()'],
    ['a woken run is woken again', '${dispatchAgainIf(hasKey)}, wake_at = NULL', '${dispatchAgainIf(hasKey)}'],
    [
      'a held run has no grace period after its deadline',
      "(e.worker_id IS NULL OR e.deadline_at < now() - ${graceMs}::int * interval '1 millisecond')",
      'true',
    ],
    [
      'a held run outlives its deadline',
      "(e.worker_id IS NULL OR e.deadline_at < now() - ${graceMs}::int * interval '1 millisecond')",
      'e.worker_id IS NULL',
    ],
    [
      'a run has no grace period after its time with workers',
      "e.held_until < now() - ${graceMs}::int * interval '1 millisecond'",
      'e.held_until < now()',
    ],
    [
      'a resting run is ended by the time that workers held it',
      "interval '1 millisecond' AND ${IS_HELD}`",
      "interval '1 millisecond'`",
    ],
    [
      'a run is ended before its deadline',
      '(${isPastDeadline(graceMs)} OR ${isHeldTooLong(graceMs)} OR ${IS_OVERDUE_TO_BEGIN})',
      'true',
    ],
    ['pages of unclaimed runs begin anew', '(e.dispatched_at, e.id) > (', '(e.dispatched_at, e.id) >= ('],
    [
      'unclaimed runs of one moment are skipped',
      '(e.dispatched_at, e.id) > (',
      '(e.dispatched_at, e.dispatched_at) > (',
    ],
  ]),
  ...of('packages/db/src/maintenance/find-runs.ts', MAINTENANCE, [
    ['a bad row is found again', 'except.length === 0 ?', 'except.length >= 0 ?'],
    ['held runs past their time are not found', '${isHeldTooLong(page.graceMs)} AND', 'false AND'],
    [
      'resting runs of a worker are its own',
      'WHERE e.worker_id = ${workerId}::uuid AND ${IS_HELD}',
      'WHERE ${IS_HELD}',
    ],
  ]),
  ...of('packages/db/src/search/execution-text.ts', MAINTENANCE, [
    ['the text of a run has no cap', '), ${MAX_TEXT_CHARS}))`', '), 1000000000))`'],
  ]),
  ...of('packages/queue/src/liveness.ts', 'unit:queue/src/liveness', [
    ['silence counts while nobody can write', '|| isInterrupted)', ')'],
    [
      'a gap between readings is silence',
      'Math.min(now - lastReadingAt, defaultLifetimeMs / MIN_READINGS)',
      'now - lastReadingAt',
    ],
    ['a worker is dead during an interruption', '!isInterrupted && worker', 'worker'],
    ['an old heartbeat says that a worker is blocked', 'isLive && blockedMs >', 'blockedMs >'],
    ['a worker is blocked during an interruption', '!isInterrupted && blocked.has', 'blocked.has'],
    ['a worker that is missing has no blockingRun', 'worker ?? before ?? NEVER_HEARD_OF', 'worker ?? NEVER_HEARD_OF'],
    ['a worker that stands by is dead too early', 'worker.lifetimeMs ?? defaultLifetimeMs', 'defaultLifetimeMs'],
  ]),
  ...of('packages/queue/src/heartbeat.ts', 'integration:integration/queue/heartbeat', [
    ['a worker that stands by with runs sends heartbeats rarely', 'isStandby && active === 0', 'isStandby'],
  ]),
  ...of('packages/queue/src/read-fleet.ts', 'integration:integration/queue/heartbeat', [
    ['silence counts while Redis refuses writes', ".set(WRITE_PROBE_KEY, '1', 'EX', 60)", ''],
  ]),
  ...of('apps/worker/src/watchdog/block-watch.ts', 'unit:watchdog/block-watch', [
    ['a process that stood still was blocked', 'Math.min(now - lastCheckAt, 2 * checkMs)', 'now - lastCheckAt'],
    ['one sample names the blockingRun', 'samples.length >= MIN_SAMPLES && ', ''],
    ['the first sample names the blockingRun', 'samples.every((sample) => sample === first)', 'true'],
    ['samples outlive the block', '        samples = [];\n', ''],
  ]),
  ...of('packages/db/src/executions/end/fail-runs.ts', RECOVER, [
    ['a run that goes on elsewhere fails', 'AND n.finished_at > ${since})\n    AND', 'AND false)\n    AND'],
    ['a run that is not claimed yet does not fail', "['fail', 'queueFailed']", "['fail']"],
  ]),
  ...of('apps/worker/src/maintenance/maintenance-lease.ts', LEASE, [
    ['a wrong clock keeps the lease', "<= MAX_CLOCK_OFFSET_MS) return 'eager'", "<= Infinity) return 'eager'"],
    ['only clocks that are ahead are wrong', 'Math.abs(clockOffsetMs)', 'clockOffsetMs'],
    ['a wrong clock takes the lease at once', 'now - freeSince >= UNWANTED_AFTER_MS', 'true'],
    ['a wrong clock never takes the lease', 'now - freeSince >= UNWANTED_AFTER_MS', 'false'],
    ['whoever failed takes the lease back at once', 'until: now + HOLD_OFF_MS', 'until: now'],
    ['a lease that was not renewed is held for ever', '|| now < role.until', "|| role.kind === 'holder'"],
  ]),
  ...of('packages/queue/src/lease.ts', LEASE, [
    ['a reluctant owner keeps the lease', "and ARGV[3] == 'eager'\n", "and ARGV[3] == 'none'\n"],
    ['an eager owner loses the lease', "string.sub(owner, -1) == '~' and ", ''],
    ['one that declines keeps the lease', "if isMine then redis.call('DEL', KEYS[1]) end", ''],
  ]),
  ...of('apps/worker/src/maintenance/process-rows.ts', 'unit:maintenance/process-rows', [
    ['bad rows are found again', 'except: badRows.ids()', 'except: []'],
    ['batches are not bounded by bytes', 'bytes + weight > maxBytes', 'false'],
    ['a pass goes on after it was cut off', 'signal.aborted || performance', 'performance'],
  ]),
  ...of('apps/worker/src/run-periodically.ts', 'unit:src/run-periodically', [
    ['passes that hang pile up', 'abandoned <= MAX_ABANDONED_PASSES && ', ''],
    ['a pass that hangs ends its task', "resolve('late'), task.timeLimitMs", "resolve('late'), 1e9"],
  ]),
  ...of('packages/contracts/src/execution-status.ts', 'unit:contracts/src/execution-status', [
    [
      'paused runs cannot be stopped',
      'stop: { from: UNFINISHED_STATUSES,',
      "stop: { from: ['pending', 'running', ...WAITING_STATUSES],",
    ],
    [
      'paused runs never time out',
      'timeOut: { from: UNFINISHED_STATUSES,',
      "timeOut: { from: ['pending', 'running', ...WAITING_STATUSES],",
    ],
    [
      'a paused run is claimed',
      "claim: { from: ['pending', 'running', ...WAITING_STATUSES]",
      'claim: { from: UNFINISHED_STATUSES',
    ],
  ]),
  ...of('packages/db/src/statement-names.ts', 'unit:db/src/statement-names', [
    ['forms of one statement use up the names of others', "if (count >= MAX_NAMES_OF_LABEL) return '';", ''],
  ]),
  ...of('packages/db/src/executions/read/read.ts', ACCESS, [
    ['a key reads runs of workspaces that it is not bound to', 'asked.bound_to = e.workspace_id)', 'true)'],
  ]),
  ...of('packages/db/src/access.ts', ACCESS, [
    [
      'what may not be seen is said to exist',
      'return !roleMay(role, permission) && !roleMay(role, seenBy);',
      'return false;',
    ],
    [
      'statements ask for a membership alone',
      "`(m.role::text IN (${roles.join(', ')}))`",
      '`(m.role IS NOT NULL AND ${roles.length > 0})`',
    ],
    ['a bound key sees every workspace', '...(actor.boundTo === null ? {} : { id: actor.boundTo }),', ''],
    [
      'whoever is a member may do all',
      'role: { in: rolesWith(permission) }',
      '',
      'every change asks for the role first: this is for one that is taken away in between',
    ],
    [
      'a bound key may name another workspace',
      'actor.boundTo !== null && actor.boundTo !== workspaceId.toLowerCase()',
      'false',
    ],
    ['a role is not compared', 'if (!roleMay(role, permission))', 'if (false)'],
  ]),
  ...of('packages/db/src/executions/lock.ts', ACCESS, [
    [
      'a bound key changes runs of another workspace',
      'AND (${actor.boundTo}::uuid IS NULL OR e.workspace_id = ${actor.boundTo}::uuid)',
      '',
    ],
    ['strangers change runs', ' AND m.user_id = ${actor.userId}::uuid', ''],
    ['viewers change runs', '  requirePermissionOf(found.role, permission);\n', ''],
  ]),
  ...of('packages/db/src/executions/start/admission.ts', ACCESS, [
    ['viewers start runs', "        WHEN NOT ${memberMay('runs.start')} THEN 'forbidden'\n", ''],
    [
      'strangers start runs',
      "OR (asked.user_id IS NOT NULL AND ${memberMay('workflows.read')} IS NOT TRUE) THEN",
      'THEN',
    ],
    [
      'a bound key starts runs of another workspace',
      '(asked.bound_to IS NULL OR asked.bound_to = w.workspace_id)',
      'true',
    ],
  ]),
  ...of('packages/db/src/executions/start/start-once.ts', 'integration:integration/api/(idempotency|execute-batch)', [
    ['a key tells strangers of its run', "a.verdict NOT IN ('notFound', 'forbidden', 'webhookMoved') AND ", ''],
    ['a key tells viewers of its run', " AND ${memberMay('runs.start')}", ''],
    ['a refused start repeats one with another body', ' AND k.body_hash = ${bodyHash}', ''],
    [
      'another item than the first takes a key',
      'ORDER BY workflow_id, key, a.id',
      'ORDER BY workflow_id, key, id DESC',
    ],
    ['a run is started without its key', 'id IN (SELECT execution_id FROM taken)`)}', "verdict = 'accepted'`)}"],
    ['a key that another statement took counts as ours', "verdict.kind !== 'accepted' || row.isTaken ?", 'true ?'],
  ]),
  ...of('apps/api/src/routes/executions/execute-batch.ts', 'integration:integration/api/execute-batch', [
    ['an item that cannot be stored is accepted', '          check(given);\n', ''],
    ['the header of a batch counts for nothing', 'idempotencyKey ?? (batchKey &&', 'idempotencyKey ?? (undefined &&'],
    ['items share the key of the batch', '`${batchKey} item ${position}`', '`${batchKey} item`'],
  ]),
  ...of('packages/db/src/events/emit.ts', 'integration:integration/executions/error-workflows', [
    ['an error workflow is started for its own runs', ' AND f.error_of IS NULL', ''],
    ['a workflow that wants no error workflow has one', 'AND w.has_error_workflow AND', 'AND'],
    ['tries of authors start error workflows', "${hasEvents(Prisma.raw('f'))} AND f.error_of", 'f.error_of'],
  ]),
  ...of('packages/db/src/events/emit.ts', 'integration:integration/events/delivery', [
    ['the tags of an endpoint limit nothing', "          AND (p.tags = '{}' OR h.tags && p.tags)\n", ''],
  ]),
  ...of('packages/db/src/events/deliver.ts', 'integration:integration/events/callbacks', [
    ['a 410 of a callback disables its lane', 'WHEN p.callback_lane IS NOT NULL THEN NULL WHEN g', 'WHEN g'],
    ['a callback pauses its lane', ' AND a.callback_lane IS NULL THEN', ' THEN'],
    [
      'callbacks have as many attempts in progress as endpoints',
      'WHEN p.callback_lane IS NOT NULL THEN ${MAX_PER_CALLBACK_LANE}::int',
      '',
    ],
  ]),
  ...of('packages/db/src/retention.ts', 'integration:integration/events/callbacks', [
    ['URLs of callbacks outlive the data of their runs', "SET url = NULL, attempts = '[]'", "SET attempts = '[]'"],
    ['a callback is sent after its URL is deleted', "WHEN 'pending' THEN 'failed' ELSE", 'ELSE'],
  ]),
  ...of('packages/db/src/events/callbacks.ts', 'integration:integration/events/callbacks', [
    [
      'a callback of another run is sent again',
      'd.id = ${deliveryId}::uuid AND d.execution_id = ${executionId}::uuid',
      'd.id = ${deliveryId}::uuid',
    ],
    [
      'a callback without a URL is sent again',
      'd.execution_id = ${executionId}::uuid AND d.url IS NOT NULL`;',
      'd.execution_id = ${executionId}::uuid`;',
    ],
    [
      'lanes are added twice',
      '  if ((await tx.eventEndpoint.count({ where: { workspaceId, callbackLane: { not: null } } })) > 0) return undefined;\n',
      '',
    ],
  ]),
  ...of('packages/db/src/executions/start/admission.ts', 'integration:integration/api/workflow-concurrency', [
    ['a workflow does not limit its runs', '(v.concurrency IS NOT NULL AND', '(false AND'],
    [
      'the limit of a workflow replaces that of a start',
      "${options} -> 'concurrency' IS NULL AND ${options} -> 'withoutKey'",
      "${options} -> 'withoutKey'",
    ],
  ]),
  ...of('packages/db/src/executions/start/settle-starts.ts', 'integration:integration/api/workflow-concurrency', [
    [
      'a workflow rejects a rerun',
      "request.source === 'rerun' ? { ...concurrency, onLimit: 'queue' as const } : concurrency",
      'concurrency',
    ],
  ]),
  ...of('packages/db/src/executions/start/error-starts.ts', 'integration:integration/executions/error-workflows', [
    [
      'failures of one workspace delay those of others',
      'ORDER BY s.place, s.next_attempt_at, s.execution_id LIMIT',
      'ORDER BY s.next_attempt_at, s.execution_id LIMIT',
    ],
    [
      'two processes start the same error workflow',
      'ORDER BY s.execution_id FOR UPDATE OF s SKIP LOCKED',
      'ORDER BY s.execution_id',
    ],
    [
      'an error workflow of another workspace runs',
      '    workflowId: row.errorWorkflowId,\n    workspaceId,\n',
      '    workflowId: row.errorWorkflowId,\n',
    ],
    [
      'a start that is not counted is forgotten',
      'if (verdict && isUnsettled(verdict)) taken.delete(failed.failedId);',
      '',
    ],
  ]),
  ...of('packages/db/src/executions/start/start-child.ts', 'integration:integration/worker/error-workflows', [
    [
      'a run that an error workflow starts has an error workflow',
      'p.trace_parent, p.error_of,',
      'p.trace_parent, NULL::uuid AS error_of,',
    ],
  ]),
  ...of('packages/db/src/executions/start/admission.ts', 'integration:integration/worker/waits', [
    ['a version of another workflow runs', 'v.workflow_id = w.id\n    AND ', ''],
  ]),
  ...of('packages/db/src/executions/start/admission.ts', 'integration:integration/api/limits', [
    [
      'the storage quota is not compared',
      "        WHEN ws.stored_bytes >= ws.storage_quota_bytes THEN 'overQuota'\n",
      '',
    ],
  ]),
  ...of('apps/api/src/auth/authenticate.ts', ACCESS, [
    ['scopes are not compared', '        requireScope(caller, needed, allowed[0]);\n', ''],
    ['a key does what is for people', "if (caller.kind === 'key') throw new DeckhandError('SESSION_REQUIRED');", ''],
  ]),
  ...of('packages/contracts/src/duration-filter.ts', 'integration:integration/api/run-lists', [
    [
      'a filter by duration reads all runs of a workspace',
      'to - from > MAX_DURATION_RANGE_DAYS * DAY_MS',
      'Number.isFinite(from) && to - from > MAX_DURATION_RANGE_DAYS * DAY_MS',
    ],
    ['a filter by duration reads all runs in another order', "filter.sortBy !== 'startedAt'", 'false'],
    ['every range of a filter by duration ends now', 'Math.min(Date.now(), ...', 'Math.max(Date.now(), ...'],
  ]),
  ...of('apps/api/src/auth/authenticate.ts', 'integration:integration/api/run-lists', [
    [
      "somebody else's workspace is told what is wrong",
      '      await requireMembership(caller, request);\n      if (needed',
      '      if (needed',
    ],
  ]),
  ...of('apps/api/src/http/route.ts', 'integration:integration/api/run-lists', [
    [
      'unknown parameters are ignored',
      '    const caller = await authenticate.caller(request, route.needed);\n    refuseUnknownParameters(request, query);\n',
      '    const caller = await authenticate.caller(request, route.needed);\n',
    ],
  ]),
  ...of('apps/api/src/routes/executions/stop.ts', 'integration:integration/api/run-lists', [
    ['a workspace alone stops everything', 'body.all !== true && !hasFilter(filter)', 'false'],
  ]),
  ...of('packages/db/src/executions/end/erase.ts', 'e2e:e2e/retention/erasure', [
    ['unfinished runs are erased', '!uses.isFinished', 'false'],
    ['what a rerun reads is erased', 'uses.isRepeated', 'false'],
    ['what a parent waits for is erased', 'uses.isAwaited', 'false'],
    ['a run is erased while it is indexed', ' FOR UPDATE`);', '`);'],
  ]),
  ...of('packages/db/src/connectors.ts', CONNECTORS, [
    ['a run calls a connector of another workspace', 'WHERE c.workspace_id = ${workspaceId}::uuid AND', 'WHERE'],
    [
      'two connectors are created where one has room',
      '      await lockNames(tx, [`connectors ${workspaceId}`]);\n',
      '',
    ],
    [
      'viewers create connectors',
      "      await requirePermission(tx, actor, workspaceId, 'connectors.change');\n      // Two",
      '      // Two',
      'the route requires it before the document is read',
    ],
    [
      'strangers list connectors',
      "  await requirePermission(db, actor, workspaceId, 'workflows.read');\n  const where",
      '  const where',
      'authentication requires members for a workspace in the query',
    ],
    [
      'strangers list operations',
      "  await requirePermission(db, actor, workspaceId, 'workflows.read');\n  const connector",
      '  const connector',
      'authentication requires members for a workspace in the query',
    ],
    [
      'viewers delete connectors',
      "    await requirePermission(tx, actor, workspaceId, 'connectors.change');\n    const where",
      '    const where',
    ],
  ]),
  ...of('apps/api/src/routes/connectors.ts', CONNECTORS, [
    [
      'a document of anybody takes a process',
      "      await requirePermission(db, caller, body.workspaceId, 'connectors.change');\n",
      '',
    ],
    [
      'strangers read operations',
      "      await requirePermission(db, caller, workspaceId, 'workflows.read');\n",
      '',
      'authentication requires members for a workspace in the query',
    ],
  ]),
  ...of('packages/nodes/src/connectors/call-operation.ts', 'unit:nodes/src/types/connector', [
    ['values are not checked', '  if (issues.length > 0) throw invalidValues(issues);\n', ''],
    [
      'a connector takes any credential',
      'if (!preset && credentials.length > 0) {',
      'if (!preset && credentials.length < 0) {',
    ],
  ]),
  ...of('packages/db/src/credentials/tried-credentials.ts', 'integration:integration/api/credentials', [
    [
      'a private credential is tested by others',
      "(key || row.visibility === 'private') && ownerId !== actor.userId",
      "key && row.visibility === 'private' && ownerId !== actor.userId",
    ],
    [
      'a credential of other workflows is sent anywhere',
      "!isForWorkflow && ownerId !== actor.userId && !roleMay(role, 'credentials.manage')",
      "!isForWorkflow && ownerId === null && !roleMay(role, 'credentials.manage')",
    ],
  ]),
  ...of('apps/api/src/credentials/try-credential.ts', 'integration:integration/api/credentials', [
    ['a test shows the secret', 'return maskedFailure(cause, opened);', 'return maskedFailure(cause, []);'],
  ]),
  ...of('apps/api/src/credentials/try-credential.ts', 'unit:credentials/try-credential', [
    ['a caller that left holds a place', '  if (gone.aborted) leave();\n', ''],
    ['a text of a service cannot be stored', "return text.replaceAll('\\0', '').toWellFormed();", 'return text;'],
    [
      'a trial takes a place of the rate that nobody uses',
      '?? MAX_WAIT_SECONDS, MAX_WAIT_SECONDS)',
      '?? 3_600, 3_600)',
    ],
  ]),
  ...of('apps/api/src/auth/authenticate.ts', 'integration:integration/api/credentials', [
    [
      'a scope is enough where two are needed',
      'if (also !== undefined) requireScope',
      'if (also === scope) requireScope',
    ],
  ]),
  ...of('apps/api/src/connectors/list-choices.ts', 'integration:integration/api/second-factors', [
    [
      'a stolen session sends credentials to its own connector',
      'if (found && !found.isBuiltIn) await',
      'if (found?.isBuiltIn === true) await',
    ],
  ]),
  ...of('packages/nodes/src/sftp/private-key.ts', 'unit:sftp/private-key', [
    ['a key keeps the API busy', 'if (rounds > maxRounds)', 'if (rounds > MAX_ROUNDS)'],
  ]),
  ...of('packages/nodes/src/connectors/list-choices.ts', 'unit:connectors/list-choices', [
    [
      'a cursor sends the credential to another host',
      'if (from && from.url.origin !== call.url.origin)',
      "if (from?.url.origin === '')",
    ],
  ]),
  ...of('packages/connectors/src/load-pack.ts', 'unit:connectors/src/load-pack', [
    ['a value of a node takes the place of a secret', '  if (first !== name) report(', "  if (first === '') report("],
  ]),
  ...of('packages/nodes/src/http/sender.ts', 'unit:nodes/src/types/connector', [
    ['a secret of a path is in a header, too', 'current && sent.pathSecret === undefined ?', 'current ?'],
  ]),
  ...of('packages/nodes/src/credentials/open-credential.ts', 'integration:integration/worker/credentials', [
    ['a credential goes to any host', '    requireAllowedHost(sealed, credential, sentTo);\n', ''],
    ['an API key goes to webhooks', ' && sentTo.pathname.startsWith(api.pathname)', ''],
  ]),
  ...of('packages/db/src/credentials/sealed-credentials.ts', 'integration:integration/worker/credentials', [
    [
      "nobody's credential is used by nobody's version",
      ' = v.created_by) IS NOT TRUE',
      ' IS DISTINCT FROM v.created_by)',
    ],
    [
      'a credential is used in other workflows',
      '= ANY(c.allowed_workflow_ids)) IS NOT TRUE',
      '= ANY(c.allowed_workflow_ids)) IS NULL',
    ],
  ]),
  ...of('apps/api/src/mcp/endpoint.ts', MCP_ACCESS, [
    ['pages of any origin call tools', 'if (origin === undefined || origins.has(origin)) return;', 'return;'],
    ['several messages are one request', 'if (!isJsonObject(message)) throw', 'if (message === undefined) throw'],
  ]),
  ...of('apps/api/src/mcp/server.ts', MCP_ACCESS, [
    ['calls need no scope', 'requireScope(caller, tool.needed, tool.workflowId ?? workflowNamed(args));', ''],
    ['a key sees every tool', 'return all.filter((tool) => mayUse(caller, tool));', 'return all;'],
    ['another key continues a run', 'bind: () => JSON.stringify([caller.apiKeyId, called]),', "bind: () => '',"],
    [
      'the state of a question is not checked',
      'requestState: { verify: (state, context) => codec.verify(state, context) },',
      '',
    ],
  ]),
  ...of('apps/api/src/mcp/tools/start-and-wait.ts', MCP_ACCESS, [
    [
      'results are for keys that may not read runs',
      "call.may('executions:read')",
      'true',
      'reading the run fails for the key, too, and then the answer names the run alone',
    ],
  ]),
  ...of('apps/api/src/mcp/questions.ts', MCP_ACCESS, [
    ['a key that may not decide asks', " || !may('approvals:write')", ''],
  ]),
  ...of('apps/api/src/mcp/tools/exposed-workflows.ts', MCP_TOOLS, [
    ['arguments are not checked', 'if (issues.length > 0) throw validationFailed(issues, isTruncated);', ''],
    ['a name may mean another workflow', 'counts.get(name) === 1 &&', ''],
    ['a name that all objects have breaks the list', ' && !(name in {})', ''],
  ]),
  ...of('packages/db/src/workflows/tools.ts', MCP_TOOLS, [
    ['a workflow that is not active is a tool', " AND w.status = 'active'", ''],
  ]),
  ...of('apps/api/src/auth/authenticate.ts', 'integration:integration/api/keys', [
    ['a key may sign in', ' || !isClosedToKeys(request.path)', ' || !isClosedToKeys("")'],
  ]),
  ...of('apps/api/src/http/answer-once.ts', 'integration:integration/api/answer-once', [
    [
      'another If-Match gets the response of the first',
      'condition === undefined ? (body ?? null) : { condition, body }',
      'body ?? null',
    ],
  ]),
  ...of('packages/db/src/idempotency/requests.ts', 'integration:integration/api/answer-once', [
    [
      'an attempt that was given up does its work later',
      "  if (marked === 0) throw new Error('another attempt has taken the request over');\n",
      '',
    ],
  ]),
  ...of('apps/api/src/routes/api-keys.ts', 'integration:integration/api/keys', [
    [
      'a credential may be asked for in a workspace of others',
      'new Set([workspaceId, credentialWorkspaceId])',
      '[workspaceId]',
    ],
  ]),
  ...of('packages/db/src/api-keys.ts', 'integration:integration/api/auth', [
    ['a revoked key goes on working', 'AND revoked_at IS NULL AND (expires_at', 'AND (expires_at'],
    ['an expired key goes on working', ' AND (expires_at IS NULL OR expires_at > now())', ''],
  ]),
  ...of('apps/api/src/auth/sign-on-attempts.ts', SIGN_ON, [
    ['a redirect signs in twice', '(await states.end(state))', 'true'],
  ]),
  ...of('packages/nodes/src/oauth2/sign-on-provider.ts', HOSTILE_SIGN_ON, [
    [
      'the signature of an ID token is not verified',
      '      await checked(oauth.validateApplicationLevelSignature(as, response, options));\n',
      '',
    ],
    ['a sign-in is replayed', '{ expectedNonce: nonce, requireIdToken: true }', '{ requireIdToken: true }'],
    [
      'people are led to a script',
      '      if (endpoint !== undefined) requireScheme(endpoint, schemes);\n',
      '      if (endpoint === "") requireScheme(endpoint, schemes);\n',
    ],
    [
      'the ID token says that the address of the userinfo is verified',
      "Object.hasOwn(own, 'email') ? own : more",
      '{ ...more, ...own }',
    ],
    [
      'a provider may be silent for ever',
      'const signal = AbortSignal.timeout(timeoutMs);',
      'const signal = new AbortController().signal;',
    ],
  ]),
  ...of('packages/db/src/identities.ts', SIGN_ON, [
    [
      'a reused address takes over an account',
      '    if (other) throw refused(',
      '    if (other === undefined) throw refused(',
    ],
    [
      'whoever made an account early keeps the password',
      'if (!existing.isAdmin && !policy.breakGlass.has(email)) await removePassword(tx, userId);',
      '',
    ],
    [
      'a sign-in ends the setup without an administrator',
      '  if (!existing && !(await lockSetup(tx))) throw',
      '  if (email === "") throw',
    ],
    ['break-glass addresses lose their password', ' && !policy.breakGlass.has(email)) await', ') await'],
    [
      'a link to a new password outlives the connection',
      '  await tx.passwordReset.deleteMany({ where: { userId } });\n',
      '',
    ],
    ['whoever made an account early keeps a passkey', '  await deleteSecondFactors(tx, userId);\n', ''],
    ['an administrator is locked out with the provider', 'if (!existing.isAdmin && ', 'if ('],
    ['claims change an owner', " || from === 'owner') return;", ') return;'],
    [
      'people without an account get one',
      '  if (!existing && !policy.createsAccounts) throw',
      '  if (email === "") throw',
    ],
  ]),
  ...of('apps/api/src/auth/single-sign-on.ts', SIGN_ON, [
    ['a domain that is not allowed signs in', '      requireDomain(configuration, verifiedEmail);\n', ''],
    [
      'an address of an allowed domain need not be verified',
      'requireDomain(configuration, verifiedEmail);',
      'requireDomain(configuration, email);',
    ],
    [
      'an address that is not verified counts',
      'isVerified(addressClaims, configuration.verifiedClaim) ? email : undefined',
      'email',
    ],
  ]),
  ...of('apps/api/src/auth/sign-on-settings.ts', SIGN_ON, [
    ['a password of a domain of single sign-on is accepted', "  throw new DeckhandError('SSO_REQUIRED');\n", ''],
    ['break-glass addresses are refused', ' || breakGlass.has(email.toLowerCase())) return;', ') return;'],
  ]),
  ...of('apps/api/src/auth/sign-on-settings.ts', 'unit:api/src/auth/sign-on-settings', [
    [
      'domains of single sign-on alone lock everybody out with the provider',
      'if (ssoOnlyDomains.size > 0 && breakGlass.length === 0)',
      'if (ssoOnlyDomains.size < 0)',
    ],
  ]),
  ...of('packages/db/src/sessions.ts', SECOND_FACTORS, [
    [
      'a session is opened beside a new second factor',
      '!isSecondFactorProved && (await hasSecondFactor(tx, userId))',
      'false',
    ],
  ]),
  ...of('packages/db/src/second-factors.ts', SECOND_FACTORS, [
    [
      'a session that was ended changes factors',
      'where, select: { id: true } })) === null',
      'where, select: { id: true } })) === undefined',
    ],
    ['a person who was deactivated adds factors', 'userId, user: { deactivatedAt: null } };', 'userId };'],
    ['a code works twice', ', lastStep: { lt: step } },', ' },'],
    ['a copied passkey goes on', '{ counter: { lt: counter } }', '{}'],
    [
      'sessions outlive the first second factor',
      '  await tx.session.deleteMany({ where: { userId, id: { not: sessionId } } });\n',
      '',
    ],
    ['anybody removes a passkey', 'deleteMany({ where: { id, userId } })', 'deleteMany({ where: { id } })'],
    [
      'a passkey outlives its person',
      'where: { credentialId, user: { deactivatedAt: null } }',
      'where: { credentialId }',
    ],
  ]),
  ...of('apps/api/src/auth/passing-states.ts', SECOND_FACTORS, [
    [
      'a sign-in is finished in any browser',
      'isSameSecret(digestOf(holder), stored.holder) ? stored.value : undefined',
      'stored.value',
    ],
  ]),
  ...of('apps/api/src/auth/pending-sign-ins.ts', SECOND_FACTORS, [
    [
      'a passkey replaces the provider',
      "      if (pending.kind === 'passkey') requirePasswordAccount(options.passwordRules, user);\n",
      '',
    ],
    ['a proof signs in twice', 'if (!(await states.end(state))) throw expired();', 'await states.end("");'],
  ]),
  ...of('apps/api/src/auth/passkeys.ts', SECOND_FACTORS, [
    [
      'a passkey alone need not verify the person',
      'requireUserVerification: isAlone,',
      'requireUserVerification: false,',
    ],
  ]),
  ...of('apps/api/src/auth/passkeys.ts', 'unit:api/src/auth/passkeys', [
    ['certificates of an attestation are read', '!(await statesNothing(given.response.attestationObject))', 'false'],
  ]),
  ...of('apps/api/src/auth/second-factors.ts', SECOND_FACTORS, [
    [
      'the passkey of anybody proves a person',
      '{ challenge, isAlone: false })) === userId',
      '{ challenge, isAlone: false })) !== undefined',
    ],
    ['codes are guessed without limit', '      await limit.attempt(userId, address, isCode);\n', ''],
  ]),
  ...of('apps/api/src/auth/second-factor-limit.ts', SECOND_FACTORS, [
    ['codes are guessed from many networks', '        if (isCode) await perPerson.consume(userId);\n', ''],
  ]),
  ...of('apps/api/src/auth/authenticate.ts', SECOND_FACTORS, [
    [
      'a person who must have a second factor needs none',
      'session.lacksSecondFactor && !isOpenWithoutFactor(request)',
      'false',
    ],
    ['a stolen session makes keys', "caller.kind === 'session' && (await hasSecondFactor(db, caller.userId))", 'false'],
  ]),
  ...of('apps/api/src/auth/require-confirmed.ts', SECOND_FACTORS, [
    [
      'an old session adds a second factor',
      'if (await isConfirmedSession(db, caller.sessionId, CONFIRMED_FOR_MS)) return;',
      'return;',
    ],
  ]),
  ...of('packages/db/src/accounts.ts', ACCOUNTS, [
    [
      'sessions outlive a deactivation',
      '      await tx.session.deleteMany({ where: { userId } });\n',
      '',
      'a session of a deactivated person is refused when it is looked up',
    ],
    [
      'keys outlive a deactivation',
      '      await tx.apiKey.updateMany({ where: { userId, revokedAt: null }, data: { revokedAt: now } });\n',
      '',
    ],
    ['anybody deactivates people', '  if (!administrator) throw', '  if (administrator === undefined) throw'],
  ]),
  ...of('packages/db/src/password-resets.ts', ACCOUNTS, [
    [
      'a link to a new password does not expire',
      ' AND expires_at > now() RETURNING',
      ' RETURNING',
      'the route has refused it before',
    ],
    [
      'a person of an identity provider gets a link to a password',
      '    if (!keepsPassword && (await tx.identity.findFirst({ where: { userId: user.id } }))) return undefined;\n',
      '',
    ],
    ['sessions outlive a new password by a link', '    await tx.session.deleteMany({ where: { userId } });\n', ''],
  ]),
  ...of('packages/db/src/sessions.ts', ACCOUNTS, [
    [
      'a session outlives a shorter limit',
      "      AND s.created_at > now() - ${lifetimeMs / 1_000}::float8 * interval '1 second'\n",
      '',
    ],
    [
      'an idle session goes on',
      "      AND s.last_used_at > now() - ${idleMs / 1_000}::float8 * interval '1 second' AND u",
      '      AND u',
    ],
  ]),
  ...of('packages/db/src/api-keys.ts', ACCOUNTS, [
    ['a key is created beside a deactivation', '    await lockActiveUser(tx, actor.userId);\n', ''],
  ]),
  ...of('apps/api/src/auth/device-authorizations.ts', DEVICES, [
    ['a key is given without the proof', ' || !isSameSecret(challenge, stored.codeChallenge)', ''],
    [
      'an approval gives two keys',
      '(await available(redis.del(keyOf(id)))) === 0',
      '(await available(redis.del(keyOf(id)))) < 0',
    ],
    ['the second person who allows a key decides', ", 'EX', LIFETIME_SECONDS, 'NX')", ", 'EX', LIFETIME_SECONDS)"],
    ['clients are started without limit', '      await count(address, START_POINTS);\n', ''],
  ]),
  ...of('apps/api/src/routes/auth/device.ts', DEVICES, [
    [
      'a key is allowed without the password',
      '      await confirmPassword(context, { request, caller, password });\n',
      '',
    ],
    ['a key is allowed in a workspace of others', '      await readWorkspace(db, caller, workspaceId);\n', ''],
    ['somebody who has left gets a key', '      await readWorkspace(db, actor, workspaceId);\n', ''],
  ]),
  ...of('apps/api/src/routes/auth/sign-in.ts', 'integration:integration/api/sessions', [
    ['current passwords may be guessed', '      await loginThrottle.attempt(user.email, address);\n', ''],
  ]),
  ...of('apps/api/src/webhooks/check-caller.ts', ADMISSION, [
    ['a wrong secret passes', "if (authentication === 'none' && !isSecretRight) throw refusal();", ''],
    ['a wrong secret passes with the right credential', 'if (!isSecretRight || !isKnown)', 'if (!isKnown)'],
  ]),
  ...of('apps/api/src/webhooks/check-caller.ts', 'integration:integration/webhooks/signatures', [
    [
      'a forged signature passes',
      'if (!(await verify(await readBytes(), tokensOf(credential.secret)))) throw',
      'if (false) throw',
    ],
    [
      'a request without a signature passes',
      "if (!verify || credential?.type !== 'bearer') throw refusal();",
      "if (!verify || credential?.type !== 'bearer') return { secretHeaders: ownSecret };",
    ],
  ]),
  ...of('packages/engine/src/run/reuse-records.ts', 'unit:tests/engine/reuse-records', [
    ['a rerun of failed iterations repeats all', 'if (!source.failedPasses.has(pass)) return false;', ''],
  ]),
  ...of('apps/worker/src/session/reuse-records.ts', 'integration:integration/api/rerun-from-node', [
    ['a worker repeats iterations that succeeded', "claimed.rerunIterations === 'failed' ? 'failed' : 'all'", "'all'"],
  ]),
  ...of('packages/engine/src/run/retry-part.ts', 'unit:run/retry-part', [
    ['a page that failed too often has all pages read again', 'isRetryable: false, cause', 'isRetryable: true, cause'],
  ]),
  ...of('apps/api/src/webhooks/signature.ts', 'unit:api/src/webhooks/signature', [
    [
      'an old request of Stripe is accepted',
      '!isTimely(timestamp) || others.length',
      'timestamp === undefined || others.length',
    ],
    [
      'a header that was sent twice counts once',
      'others.length > 0 || value === undefined ||',
      'value === undefined ||',
    ],
    ['the signature of a Twilio URL is for any body', "isSame(Buffer.from(hash, 'hex'), expected) ? ''", "true ? ''"],
  ]),
  ...of('apps/api/src/webhooks/request-key.ts', 'integration:integration/webhooks/signatures', [
    ['a failed run frees an id that is used up when accepted', 'settings.freesFailedKeys ?', 'true ?'],
  ]),
  ...of('apps/api/src/webhooks/request-key.ts', 'integration:integration/webhooks/limits', [
    ['a test request uses up the id of a real one', "testActor ? 'webhook-test' : 'webhook'", "'webhook'"],
    ['triggers share the ids of their senders', ' ${nodeId} ${evaluated.key}', ' ${evaluated.key}'],
    [
      'a request without a valid id starts a run',
      "if (evaluated && 'failure' in evaluated)",
      "if (evaluated && 'none' in evaluated)",
    ],
  ]),
  ...of('apps/api/src/webhooks/cors.ts', ADMISSION, [
    [
      'origins are compared by prefix',
      'origin !== undefined && allowedOrigins.includes(origin)',
      'origin !== undefined && allowedOrigins.some((allowed) => origin.startsWith(allowed))',
    ],
  ]),
  ...of('packages/runtime/src/logger.ts', 'unit:runtime/src/logger', [
    ["the log has webhooks' secrets", `  'req.headers["x-webhook-secret"]',\n`, ''],
  ]),
  ...of('packages/import-n8n/src/workflow.ts', HOSTILE_IMPORTS, [
    [
      'names of inherited members choose an option of an import',
      ' && Object.hasOwn(table, name) ? table[name]',
      ' ? table[name]',
    ],
    ['an import has inputs and outputs without number', ' && index >= 0 && index < MAX_PORTS', ''],
    ['an import has connections without number', 'connections.length > MAX_CONNECTIONS', 'false'],
  ]),
  ...of('packages/import-n8n/src/import-workflow.ts', HOSTILE_IMPORTS, [
    ['an imported node has any size', 'JSON.stringify(parameters).length > MAX_PARAMETERS', 'false'],
    ['an imported node becomes of any size', 'size > MAX_CONVERTED ||', ''],
    ['an import becomes of any size', '|| this.#converted + size > MAX_CONVERTED_IN_ALL', ''],
  ]),
  ...of('packages/import-n8n/src/expressions/translator.ts', HOSTILE_IMPORTS, [
    ['imported expressions multiply', 'part.text.length > MAX_TRANSLATED', 'false'],
  ]),
  ...of('packages/import-n8n/src/nodes/connectors/addresses.ts', HOSTILE_IMPORTS, [
    ['imported addresses have any length', 'address.length > MAX_ADDRESS', 'false'],
  ]),
  ...of('packages/import-n8n/src/nodes/connectors/google-sheets.ts', CONNECTORS_OF_N8N, [
    ['an import takes any choice', 'known.find((each) => each === given) ??', 'known[0] ??'],
  ]),
  ...of('packages/import-n8n/src/nodes/set.ts', HOSTILE_IMPORTS, [
    ['names of imported fields have parts without number', "shown.split('.').length > MAX_NESTING", 'false'],
  ]),
  ...of('packages/connectors/src/load-pack.ts', 'unit:connectors/src/load-pack', [
    ['a pack sends headers of the connection', '  findRoutingHeaders(checked.value, report);\n', ''],
  ]),
  ...of('packages/nodes/src/http/request-parts.ts', 'unit:nodes/src/http/request-parts', [
    ['an idempotency key is a header of the connection', 'if (isRoutingHeader(idempotencyHeader))', 'if (false)'],
    ['a secret is a header of the connection', 'if (isRoutingHeader(name))', 'if (false)'],
  ]),
  ...of('packages/connectors/src/build-request.ts', 'unit:connectors/src/build-request', [
    ['a value of a connector changes the path', 'names.length > 0 && hasDots(written)', 'false'],
    ['a value of a connector changes the host', '!(isPath ? SERVER_PATH : SERVER_VALUE).test(value)', 'false'],
    [
      'a variable after an address is not checked',
      'at === 0 && name === BASE_URL',
      'server.startsWith(`{${BASE_URL}}`)',
    ],
    ['an empty value of a connector changes the path', "(texts.get(name) ?? '') === ''", 'false'],
  ]),
  ...of('packages/connectors/src/convert-schema.ts', 'unit:connectors/src/read-api', [
    ['a schema of a connector has any size', 'parts <= 0 || depth > MAX_DEPTH', 'depth > MAX_DEPTH'],
    ['a schema of a connector has any depth', 'parts <= 0 || depth > MAX_DEPTH', 'parts <= 0'],
  ]),
  ...of('apps/api/src/routes/workflows/import-n8n.ts', 'integration:integration/api/import-n8n', [
    [
      'anybody may have a workflow converted',
      "      await requirePermission(context.db, caller, body.workspaceId, 'workflows.edit');\n",
      '',
    ],
    [
      'a person has several workflows converted at once',
      'await oneAtATime(caller.userId, () => convert(context, body))',
      'await convert(context, body)',
    ],
  ]),
  ...of('packages/db/src/store-errors.ts', 'unit:db/src/store-errors', [
    ['a read-only database is a fault of a row', '(22|23|21000|44000|P0001)', '(22|23|25|21000|44000|P0001)'],
    ['a full disk is a fault of the deployment', '/^(42|0A|54)/', '/^(42|0A|53|54)/'],
    [
      'a stale plan is a fault of the deployment',
      "  if (error.message.includes(STALE_PLAN)) return 'transient';\n",
      '',
    ],
  ]),
  ...of('apps/worker/src/consume/worker-health.ts', 'unit:consume/worker-health', [
    ['a row at fault is a store at fault', "if (kind === 'row') clearFailures();\n      else {", '{'],
    ['refusals are taken for outages', "if (kind === 'deployment') failures.isRefused = true;", ''],
    ['a read disproves that writes fail', 'watch(read, [reads], reads)', 'watch(read, [reads, writes], reads)'],
    ['silence does not count', '      silentChecks += 1;\n', ''],
    ['a worker that is full counts as silent', 'if (options.isFull() && !isPinging) ping();', ''],
  ]),
  ...of('packages/db/src/concurrency/admit.ts', 'unit:concurrency/admit', [
    ['younger runs go first', 'queue.sort((a, b) => (a.id < b.id ? -1 : 1))', 'queue'],
    ['a limit of the workflow is passed', 'if (ofWorkspace < 1 || ofWorkflow < 1)', 'if (ofWorkspace < 1)'],
    ['a slot of the workflow is given twice', '  free.set(workflowId, ofWorkflow - 1);\n', ''],
    ['what is on its way is dispatched again', 'isAdmitted && !run.isDispatched', 'isAdmitted'],
  ]),
  ...of('packages/db/src/concurrency/count-slots.ts', 'integration:integration/worker/concurrency', [
    ['runs that began before a limit do not count', 'if (changed?.isLimited === true)', 'if (changed === null)'],
    ['a limit that is gone stays', 'IS DISTINCT FROM', '<'],
  ]),
  ...of('packages/queue/src/fair-order.ts', 'unit:queue/src/fair-order', [
    ['runs with a priority overtake without a bound', 'ahead.set(lane, inLane + runs / OVERTAKING_PER_ROUND);', ''],
    ['runs with a priority wait behind the backlog of their flow', 'if (inLane < start)', 'if (inLane > start)'],
    ['a priority does not reach into the round being served', ' : priority);', ' : 0);'],
    ['an idle flow is owed its turns', 'ahead.get(flow) ?? served', 'ahead.get(flow) ?? 0'],
    ['time goes back', 'served = Math.max(served, time.served);', 'served = time.served;'],
  ]),
  ...of('packages/runtime/src/batcher.ts', 'unit:runtime/src/batcher', [
    ['missing results leave callers waiting', 'if (results.length !== batch.length)', 'if (false)'],
  ]),
  ...of('apps/worker/src/maintenance/bad-rows.ts', 'unit:maintenance/bad-rows', [
    ['every bad row is left out for long', 'isRowError(error) ? SKIPPED_MS : SKIPPED_BRIEFLY_MS', 'SKIPPED_MS'],
    ['a bad row is left out for ever', 'if (until <= now()) skippedUntil.delete(id);', ''],
  ]),
  ...of('apps/worker/src/maintenance/act-on-rows.ts', 'unit:maintenance/process-rows', [
    ['any number of rows may fail', '        if (badRows > MAX_BAD_ROWS) throw error;\n', ''],
    ['rows are at fault for an outage', '      if (isUnavailable(error)) throw error;\n', ''],
  ]),
  ...of('packages/db/src/retention.ts', RETENTION, [
    [
      'debug data of nodes stays',
      'UPDATE node_runs n SET output = NULL, output_ref = NULL, output_bytes = 0, state = NULL, debug = NULL, attempt_history = NULL',
      'UPDATE node_runs n SET output = NULL, output_ref = NULL, output_bytes = 0, state = NULL, attempt_history = NULL',
    ],
    [
      'attempts of nodes stay',
      'UPDATE node_runs n SET output = NULL, output_ref = NULL, output_bytes = 0, state = NULL, debug = NULL, attempt_history = NULL',
      'UPDATE node_runs n SET output = NULL, output_ref = NULL, output_bytes = 0, state = NULL, debug = NULL',
    ],
    [
      'debug data of iterations stays',
      'UPDATE node_iterations n SET output = NULL, output_ref = NULL, output_bytes = 0, state = NULL, debug = NULL, attempt_history = NULL',
      'UPDATE node_iterations n SET output = NULL, output_ref = NULL, output_bytes = 0, state = NULL, attempt_history = NULL',
    ],
    [
      'attempts of iterations stay',
      'UPDATE node_iterations n SET output = NULL, output_ref = NULL, output_bytes = 0, state = NULL, debug = NULL, attempt_history = NULL',
      'UPDATE node_iterations n SET output = NULL, output_ref = NULL, output_bytes = 0, state = NULL, debug = NULL',
    ],
  ]),
  ...of('packages/db/src/workspaces/delete-data.ts', DELETION, [
    [
      'runs of living workspaces are deleted',
      '        AND EXISTS (SELECT 1 FROM deleted_workspaces d WHERE d.workspace_id = e.workspace_id)\n',
      '',
    ],
    ['what comes late stays', 'WHERE d.deleted_at < now() - ${REMEMBERED}', 'WHERE true'],
    ['deletion waits for who holds a run', '${LOCK_FREE_RUNS}`);', 'ORDER BY e.id FOR UPDATE OF e`);'],
  ]),
  ...of('packages/db/src/workspaces/workspaces.ts', DELETION, [
    [
      'a deleted workspace keeps its runs',
      '    await tx.deletedWorkspace.create({ data: { workspaceId: id, workflowIds } });\n',
      '',
    ],
  ]),
  ...of('packages/outputs/src/output-store.ts', DELETION, [
    ['an output is stored for a run that is gone', '      if (!isKept) throw new OutputGoneError(id);\n', ''],
  ]),
  ...of('packages/contracts/src/pattern-size.ts', 'unit:contracts/src/pattern-size', [
    ['a repetition counts once', 'group.last *= Math.min(count, repetitionMax);', ''],
    ['a group that is repeated counts once', 'group.last = inner;', 'group.size += inner;'],
    ['an unbounded alternative is read once', 'return isUnbounded && hasChoice;', 'return false;'],
  ]),
  ...of('packages/engine/src/expressions/run.ts', 'unit:engine/src/expressions/run.test', [
    ['small values of results are not counted', '  meter.visitsLeft -= 1;\n', ''],
  ]),
  ...of('packages/nodes/src/code/runner.ts', 'unit:nodes/src/code/runner', [
    ['what a script reads is written whatever its size', '!(await fits(script, memoryBytes / 2))', 'false'],
  ]),
  ...of('packages/nodes/src/types/gzip.ts', 'unit:nodes/src/types/files', [
    ['a file becomes as large as it likes', 'if (left < 0) throw', 'if (left === 0.5) throw'],
  ]),
  ...of('packages/nodes/src/types/zip.ts', 'unit:nodes/src/types/files', [
    ['an archive becomes as large as it likes', 'if (left < 0) throw', 'if (left === 0.5) throw'],
  ]),
  ...of('packages/nodes/src/files/file-process.ts', 'unit:nodes/src/files/file-process', [
    ['a stop does not end a process', "signal.addEventListener('abort', kill, { once: true });", ''],
    ['a file is stored though its process failed', '  await ended;\n}', '}'],
  ]),
  ...of('packages/nodes/src/files/split-rows.ts', 'unit:nodes/src/files/split-rows', [
    ['a quote within a value hides the ends of rows', ' && isValueNext', ''],
  ]),
  ...of('packages/nodes/src/code/intl-host.ts', 'unit:nodes/src/code/intl-host', [
    ['a script creates any number of formatters', 'if (formatters.size >= MAX_FORMATTERS)', 'if (formatters.size < 0)'],
    ['settings have any length', 'if (settings.length > MAX_SETTINGS)', 'if (settings.length < 0)'],
    ['arguments have any length', 'if (args.length > MAX_REQUEST)', 'if (args.length < 0)'],
    ['compared texts have any length', 'if (a.length + b.length > MAX_REQUEST)', 'if (a.length < 0)'],
  ]),
  ...of('packages/nodes/src/code/intl-formatters.ts', 'unit:nodes/src/code/intl-host', [
    ['a number has any number of digits', 'if (isDecimal(text)) return text;', 'return text;'],
    ['a BigInt has any number of digits', '\\d{1,400}n$/', '\\d+n$/'],
    ['options are objects', "typeof value !== 'object'", 'value !== undefined'],
  ]),
  ...of('packages/nodes/src/text/limit.ts', 'unit:nodes/src/types/largest-inputs', [
    ['results are not measured', '  if (characters <= max) return;\n', '  return;\n'],
  ]),
  ...of('packages/db/src/executions/read/list.ts', READ_REPLICA, [
    [
      'the replica decides who may list',
      'requirePermission(db, actor, request',
      'requirePermission(source, actor, request',
      'the replica of the test knows of a removed member before the next request',
    ],
  ]),
  ...of('apps/api/src/runs/run-reads.ts', READ_REPLICA, [
    ['a replica is read however old its data is', ' <= replica.maxLagMs ? until', ' <= Infinity ? until'],
    ['a read that fails on the replica fails', '!isStoreError(error) || isStatementCancelled(error)', 'true'],
    ['no-cache reads from the replica', 'isFresh ? undefined : usableUntil()', 'usableUntil()'],
  ]),
  ...of('apps/api/src/runs/replica-lag.ts', 'unit:runs/replica-lag', [
    ['a replica is complete with any position', 'sample.flushed <= replayed', 'true'],
    ['positions of the log before a failover count', 'samples = [];\n      samples.push', 'samples.push'],
  ]),
  ...of('packages/db/src/store-errors.ts', 'unit:db/src/store-errors', [
    ['a statement without a response is a bug', 'Query read timeout|', ''],
  ]),
  ...of('packages/db/src/workflows/apply.ts', 'integration:integration/api/execute-by-slug', [
    [
      'a slug names workflows of others',
      "WHERE m.user_id = ${userId}::uuid AND ${memberMay('workflows.read')}\n",
      'WHERE true\n',
    ],
    [
      'a bound key starts workflows elsewhere by a slug',
      '(${boundTo}::uuid IS NULL OR m.workspace_id = ${boundTo}::uuid)',
      'true',
    ],
  ]),
  ...of('apps/api/src/auth/authenticate.ts', 'integration:integration/api/execute-by-slug', [
    ['a slug names what the key may not start', "caller.kind === 'session' || hasScope(caller, needed, id)", 'true'],
  ]),
  ...of('packages/db/src/executions/start/admission.ts', 'integration:integration/api/input-schemas', [
    ['an input is not checked', "WHEN ${NEEDS_CHECK} THEN 'needsCheck'", "WHEN false THEN 'needsCheck'"],
    [
      'an input is checked for an earlier version',
      '${checkedVersionId} IS DISTINCT FROM v.id',
      '${checkedVersionId} IS NULL',
    ],
    ['a rerun is refused for its input', "asked.source NOT IN ('rerun', 'error')", "asked.source NOT IN ('error')"],
  ]),
  ...of('packages/db/src/executions/start/admission.ts', 'integration:integration/executions/error-workflows', [
    ['an error workflow is refused for its input', "asked.source NOT IN ('rerun', 'error')", "asked.source <> 'rerun'"],
  ]),
  ...of('packages/nodes/src/schemas/input-checker.ts', 'unit:nodes/src/schemas/input-checker', [
    ['a schema without a bound is checked where requests are handled', 'cost <= MAX_INLINE_COST ?', 'true ?'],
    [
      'a large input is checked where requests are handled',
      'check && cost * triggerData.length <= MAX_INLINE_STEPS',
      'check',
    ],
  ]),
  ...of('apps/api/src/credentials/connection-attempts.ts', OAUTH, [
    [
      'somebody else finishes an attempt to connect',
      'return key === keyOf(name) && isOwn ? attempt : undefined;',
      'return key === keyOf(name) ? attempt : undefined;',
    ],
  ]),
  ...of('apps/api/src/credentials/connections.ts', OAUTH, [
    [
      'an attempt to connect counts twice',
      'if (!attempt || !(await attempts.use(state))) throw',
      'if (!attempt) throw',
    ],
    [
      'a code reaches the provider of another configuration',
      'if (digestOf(credential.sealedSecret) !== configured)',
      'if (configured === "")',
    ],
  ]),
  ...of('packages/db/src/credentials/connections.ts', OAUTH, [
    ['processes refresh a token at the same time', ' FOR NO KEY UPDATE SKIP LOCKED`;', '`;'],
    [
      'an admin connects a private credential',
      "if (row.visibility === 'private' && row.ownerId !== actor.userId)",
      'if (row.ownerId === actor.userId && row.ownerId === null)',
    ],
  ]),
  ...of('packages/db/src/credentials/credentials.ts', OAUTH, [
    ['tokens outlive their configuration', "await applyEvent(tx, actor, id, { kind: 'reset' });", ''],
  ]),
  ...of('packages/nodes/src/oauth2/token-keeper.ts', 'unit:nodes/src/oauth2', [
    ['a provider that is down is asked by each node', 'return pauseMs <= 0 && (', 'return ('],
    ['tokens that no server accepts flood the provider', '(known.ageMs ?? 0) < MIN_AGE_MS', 'false'],
    [
      'silent providers of a workspace block others',
      '(REQUESTS_AT_ONCE, REQUESTS_PER_WORKSPACE)',
      '(REQUESTS_AT_ONCE)',
    ],
    ['a refresh token is used twice', 'if (!asked || !hasSameSecrets(asked.of, current)) asked =', 'asked ='],
    ['a clock that is off disconnects', "if (kind === 'refused' && !needsNoPerson(grant))", "if (kind === 'refused')"],
  ]),
  ...of('packages/nodes/src/oauth2/provider-request.ts', 'unit:nodes/src/oauth2', [
    ['a secret follows a redirect', 'followRedirects: false,', 'followRedirects: true,'],
    ['an error of a provider shows secrets', "shown.replaceAll(secret, '********')", 'shown'],
  ]),
  ...of('packages/nodes/src/oauth2/provider.ts', 'unit:nodes/src/oauth2', [
    [
      'a redirect need not name its issuer',
      'authorization_response_iss_parameter_supported: issuer !== undefined,',
      'authorization_response_iss_parameter_supported: false,',
    ],
    [
      'a page of a provider runs in ours',
      'if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;',
      'if (URL.canParse(url)) return url;',
    ],
  ]),
  ...of('packages/contracts/src/untrusted-schema.ts', 'unit:contracts/src/untrusted-schema', [
    ['a schema that refers to itself counts as cheap', 'costs.set(reference, Infinity);', 'costs.set(reference, 1);'],
    ['a field that every object has is taken for present', '    ownProperties: true,\n', ''],
  ]),
  ...of(
    'apps/console/src/features/editor/saving/draft-writer.ts',
    'unit:console/src/features/editor/saving/draft-writer',
    [['the next person saves what the last one edited', 'if (!this.#isStopped) this.#timer', 'this.#timer']],
  ),
  ...of(
    'apps/console/src/features/editor/model/editor-model.ts',
    'unit:console/src/features/editor/model/editor-model',
    [
      [
        'a canvas that is only read is changed',
        'if (!this.#state.isReadOnly) this.#update({ history',
        'this.#update({ history',
      ],
    ],
  ),
  ...of('apps/console/src/features/form-builder/form-rows.ts', 'unit:console/src/features/form-builder', [
    [
      'a schema is opened though a part of it would be lost',
      'diffValues(schema, toSchema(rows)).length === 0 ? rows : undefined',
      'rows',
    ],
  ]),
  ...of('apps/api/src/runs/workspace-shares.ts', 'unit:api/src/files/send-file', [
    ['workspaces together have any number of downloads', '(TOTALS[kind] ?? Infinity)', 'Infinity'],
  ]),
  ...of('apps/api/src/http/request-time.ts', 'unit:api/src/http/request-time', [
    [
      'an upload trickles in for ever',
      'transfer.limitMs + (transfer.bytes / MIN_BYTES_PER_SECOND) * 1_000',
      'Infinity',
    ],
  ]),
  ...of('apps/api/src/links/read-form.ts', LINKS, [
    [
      'a form takes files of any type',
      '!acceptsFile(field.files, file)',
      'false',
      'the check of the whole form refuses them, too, after they were stored',
    ],
    ['a form takes any number of files', 'count > field.files.maxFiles', 'false'],
  ]),
  ...of('packages/db/src/executions/waits/decide.ts', LINKS, [
    ['no run keeps the files of an answer', 'if (files.length > 0) await nameFiles', 'if (false) await nameFiles'],
  ]),
  ...of('packages/db/src/files.ts', LINKS, [['a link gives its file for ever', ' AND now() < ${expiresAt}`', '`']]),
  ...of('packages/db/src/files.ts', ACCESS, [
    ['viewers give links to files', "await requirePermission(tx, actor, workspaceId, 'files.share');", ''],
  ]),
  ...of('packages/db/src/files.ts', 'integration:integration/executions/file-store', [
    ['what is being written does not count towards the quota', 'coalesce(sum(o.bytes), 0)', 'coalesce(sum(0), 0)'],
    ['a file that somebody else stored is discarded', ' AND expires_at = ${expiresAt}`', '`'],
    [
      'a refused form keeps a file without a run for ever',
      "coalesce(${expiredBefore}::timestamptz, now() + interval '30 minutes')",
      '${expiredBefore}::timestamptz',
    ],
    [
      'a file of another workspace is opened',
      'WHERE f.id = ${id}::uuid AND f.workspace_id = ${workspaceId}::uuid`',
      'WHERE f.id = ${id}::uuid`',
    ],
    [
      'an input keeps a file of another workspace',
      'ON f.id = n.file_id AND f.workspace_id = r.workspace_id',
      'ON f.id = n.file_id',
    ],
    [
      'files that nobody names yet do not count for their run',
      'WHERE s.stored_by = ${run} AND s.expires_at IS NOT NULL',
      'WHERE false',
    ],
    [
      'a finished file is swept after its response got lost',
      'WHERE NOT EXISTS (SELECT 1 FROM files WHERE id = ${id}::uuid)\n    ON CONFLICT',
      'WHERE true\n    ON CONFLICT',
    ],
    [
      'a file that a run names is swept',
      'AND NOT EXISTS (SELECT 1 FROM execution_files x WHERE x.file_id = f.id)\n      RETURNING',
      '\n      RETURNING',
    ],
  ]),
  ...of('packages/db/src/variables.ts', VARIABLES, [
    [
      'anybody learns which workflows use a variable',
      "where: { id, workspace: visibleWorkspace(actor, 'workflows.read') },\n    select: { workspaceId: true, name: true },",
      'where: { id },\n    select: { workspaceId: true, name: true },',
    ],
    [
      'variables are used by workflows of other workspaces',
      'WHERE w.workspace_id = ${workspaceId}::uuid AND EXISTS',
      'WHERE ${workspaceId}::uuid IS NOT NULL AND EXISTS',
    ],
  ]),
];
