export { type Actor, type LinkHolder, type Origin, requireRole } from './access.js';
export {
  isAdministrator,
  readInstanceSettings,
  readLimits,
  readSettingsAs,
  readUsage,
  writeLimits,
  writeSettings,
} from './admin.js';
export {
  createApiKey,
  type CreatedApiKeyEntry,
  findApiKeys,
  findUnseenWorkflows,
  listApiKeys,
  readApiKey,
  readOwnApiKey,
  revokeApiKey,
  rotateApiKey,
  type SuccessorKey,
  touchApiKeys,
  type ValidApiKey,
} from './api-keys.js';
export { listChanges, listInstanceChanges } from './audit/list.js';
export { recordChange, recordExecutionChange, recordStart } from './audit/record.js';
export {
  abortBulkAction,
  createBulkAction,
  findBulkRuns,
  listBulkActions,
  pruneBulkActions,
  readBulkAction,
} from './bulk-actions/bulk-actions.js';
export type { BulkOutcome, DueBulkAction } from './bulk-actions/act-on-runs.js';
export {
  delayBulkAction,
  failUnsettledRun,
  findDueBulkActions,
  findUnsettledRuns,
  performBatch,
} from './bulk-actions/perform.js';
export { createDatabase, type Database, type DatabaseOptions, readPoolUse } from './client.js';
/** SQL with parameters, for tools that measure. Product code uses the stores of this package. */
export { Prisma } from './client.js';
export { claimLimited, type LimitedClaim } from './concurrency/claim-limited.js';
export { countHeldBack, countHeldRuns } from './concurrency/count-slots.js';
export { type Subject } from './concurrency/demand.js';
export { findKeysToRelease, type KeyedStart, NO_KEY, releaseKeys, type RunKey } from './concurrency/keys.js';
export { findWorkspacesHeldBack, releaseHeldBack, releaseHeldBackOf } from './concurrency/release.js';
export {
  countCredentialsByKey,
  type CredentialUser,
  readSealedCredential,
  readUsableCredentials,
  type SealedCredential,
  type UsableCredential,
} from './credentials/sealed-credentials.js';
export {
  createCredential,
  deleteCredential,
  listCredentials,
  readCredential,
  updateCredential,
} from './credentials/credentials.js';
export { readDatabaseTime } from './database-time.js';
export {
  type AttemptResult,
  type DisabledEndpoint,
  type EventBacklog,
  type LaneRequest,
  leaseEventLanes,
  type LeasedLane,
  readEventBacklog,
  recordEventAttempts,
  releaseEventLanes,
  type TakenDelivery,
  type TakenLane,
  takeEventDeliveries,
  tidyEventDeliveries,
} from './events/deliver.js';
export {
  addTestEvent,
  listEventDeliveries,
  replayEventDeliveries,
  replayEventDelivery,
  webhookIdOf,
} from './events/deliveries.js';
export {
  createEventEndpoint,
  deleteEventEndpoint,
  listEventEndpoints,
  readEventEndpoint,
  readEventSecrets,
  rotateEventSecret,
  updateEventEndpoint,
} from './events/endpoints.js';
export { acceptEvents, type EventVerdict, type NewEvent, pruneEvents } from './events-in/accept-events.js';
export { endNewWaits, type EndedByEvents, endWaitsForEvents, type RunsOfEvents } from './events-in/end-waits.js';
export { findUncheckedWaits, findUnmatchedEvents } from './events-in/find-work.js';
export {
  delayEvents,
  type EventDelay,
  type EventTrigger,
  findEventTriggers,
  markMatched,
  type StartingEvent,
} from './events-in/start-runs.js';
export { type ChosenVersion, chooseVersion } from './executions/chosen-version.js';
export { NO_DEADLINE_AT } from './executions/run-status.js';
export { updateExecution } from './executions/update.js';
export {
  findFreeLocks,
  findLocksOf,
  findRunsWithChangedLocks,
  freeLock,
  freeLocksOf,
  type LockName,
  type LockRequest,
  type LockVerdict,
  MAX_CHANGED_RUNS,
  releaseLock,
  requestLock,
  settleLocks,
  wakeHolders,
} from './locks/run-locks.js';
export { acceptChild, endWaitsOfParents, type ChildRequest, type ChildVerdict } from './executions/accept-child.js';
export { acceptExecutions, acceptUnlessBusy, type Busy, findLanded } from './executions/accept.js';
export { pruneDebounces } from './executions/debounce.js';
export {
  acceptOnce,
  type AcceptOnceVerdict,
  findEarlierStart,
  type OnceRequest,
  type IdempotencyKey,
  pruneIdempotencyKeys,
} from './executions/accept-once.js';
export {
  type Accepted,
  type AcceptedRun,
  type AcceptRefusal,
  type AcceptRequest,
  type AcceptVerdict,
  type AddWorkflowKey,
  type NeedsKey,
  type NotCounted,
} from './executions/admission.js';
export {
  type Checkpoint,
  type CheckpointClaim,
  type CheckpointEnding,
  type CheckpointVerdict,
  type NodeIterationRow,
  type NodeRunRow,
  type FinishedEnding,
  type NodeSummaryRow,
  type RestingEnding,
  type WaitRow,
} from './checkpoints/checkpoint.js';
export { writeCheckpoints } from './checkpoints/write-checkpoints.js';
export { isSearch } from './search/match.js';
export type { ExecutionOrder, RunPosition } from './executions/filter.js';
export { exportExecutionIds, type ExportRequest } from './executions/export.js';
export { type ExecutionIdPage, listExecutionIds, type ListExecutionsRequest } from './executions/list.js';
export {
  type Claim,
  claimExecutions,
  type ClaimedExecution,
  type ClaimRequest,
  readUnclaimed,
} from './executions/claim.js';
export {
  type AnswerOutcome,
  type AnswerRequest,
  answerWait,
  confirmAnswer,
  type WaitEnd,
} from './executions/decide.js';
export { endDueWaits, type EndedWait, type EndedWaits, type WaitPlace } from './executions/end-waits.js';
export { deleteExecution, redactExecution } from './executions/erase.js';
export { failBlockedRun, failUnqueuedExecutions } from './executions/fail-runs.js';
export { listApprovals, listHumanTasks } from './executions/list-waits.js';
export { loadIterations, loadNodeRuns, loadOpenNodeRuns, type StoredNodeRun } from './executions/load-records.js';
export { pauseExecution, resumeExecution } from './executions/pause.js';
export { hasTriggerData, readForRerun, type RerunOrigin } from './executions/read-for-rerun.js';
export { type LinkedWait, readLinkedWait } from './executions/read-linked-wait.js';
export { computeRunDigest } from './executions/run-digest.js';
export { readExecutions, readLargeValues, type ExecutionRecord, type ReadExecutionRequest } from './executions/read.js';
export {
  type ExecutionResult,
  type ExecutionState,
  type FollowedState,
  readResults,
  type ReadStateRequest,
  readStates,
  readVisibleStates,
  type VisibleState,
} from './executions/read-states.js';
export { listIterations } from './executions/list-iterations.js';
export { readNodeDebug, readNodeOutput, type NodeOutputRecord } from './executions/read-output.js';
export {
  dispatchAgain,
  type DispatchedExecution,
  findHoldingWorkers,
  findUnclaimed,
  timeOutRuns,
  type UnclaimedExecution,
  wakeDueRuns,
} from './executions/reconcile.js';
export { releaseExecutions, type ReleasedExecution } from './executions/release.js';
export { indexExecutions } from './search/index-executions.js';
export { listFailureGroups, readFailureGroup, updateFailureGroup } from './failure-groups/failure-groups.js';
export { respondToCaller, type ResponseToCaller, type ResponseVerdict } from './executions/respond.js';
export { stopOrphans } from './executions/stop-orphans.js';
export { type OnStopped, stopExecution } from './executions/stop.js';
export { stopDescendants, type StopDescendantsOptions } from './executions/stop-descendants.js';
export { stopExecutions } from './executions/stop-many.js';
export { createFolder, deleteFolder, listFolders, updateFolder } from './folders.js';
export {
  finishRequest,
  pruneRequests,
  releaseRequest,
  type Reservation,
  reserveRequest,
} from './idempotency/requests.js';
export {
  acceptInvite,
  acceptInviteAsNewPerson,
  createInvite,
  deleteInvite,
  type JoinedWorkspace,
  listInvites,
  type NewPerson,
  readInvite,
} from './invites.js';
export { addMember, leaveWorkspace, listMembers, removeMember, updateMember } from './members.js';
export * from './migrations/index.js';
export { countUnfinished, readOldestWaitingSeconds, readRunStats, type StatsPeriod } from './monitoring/run-stats.js';
export {
  countUnindexedRuns,
  type ExpiredRun,
  type ExpiredRuns,
  findDueRuns,
  findExpiredRuns,
  findOverdueRuns,
  findOwnedRuns,
  findParentsOfFinished,
  findRunsOfWorkers,
  findUnindexedRuns,
  type FoundRun,
  type OwnedRun,
  type RowPage,
} from './maintenance/find-runs.js';
export {
  type DetachedPosition,
  type DetachedRow,
  type DetachedTable,
  findWorkspaces,
  FIRST_DETACHED,
  readDetachedRows,
  sumDetachedRuns,
} from './maintenance/detached-runs.js';
export { refreshStatistics } from './maintenance/refresh-statistics.js';
export {
  createRunPartitions,
  deleteLeftoversOfRunPartition,
  detachExpiredRunPartition,
  DROP_LIMIT_MS,
  dropDetachedRunPartition,
  findDetachedRunPartitions,
  partitionSpanDays,
} from './maintenance/run-partitions.js';
export { readWorkflowTimes } from './monitoring/workflow-times.js';
export {
  countRunsByWorker,
  describeRuns,
  findHeldRuns,
  findUnclaimedRuns,
  findUnfinished,
  type Operation,
  type OperatorFilter,
  recordOperation,
  requeueHeldRuns,
  type RunSummary,
  stopRuns,
} from './operations.js';
export {
  findDeletedOutputs,
  findLargeOutputs,
  forgetDeletedOutputs,
  keepLargeOutput,
  type LargeOutput,
} from './outputs.js';
export { pruneData, pruneRuns } from './retention.js';
export {
  type DueSchedule,
  findDueSchedules,
  findNextCheck,
  type FireRefusal,
  holdSchedules,
  moveSchedules,
  type MoveVerdict,
  type ScheduleHold,
  type ScheduleMove,
} from './schedules/move.js';
export { listSchedules, pauseSchedule, resumeSchedule } from './schedules/schedules.js';
export { type FirstDue, type ScheduleRule } from './schedules/sync.js';
export { listSealed, type Resealing, resealSecrets, type SealedRow, type SecretHolder } from './secrets.js';
export {
  createSession,
  deleteOwnSession,
  deleteSession,
  findSessions,
  listSessions,
  touchSessions,
  type ValidSession,
} from './sessions.js';
export {
  classifyStoreError,
  isStatementCancelled,
  isStoreError,
  isRowError,
  isStoreUnavailable,
  isTooSlow,
  StoreError,
  type StoreErrorKind,
} from './store-errors.js';
export { changePassword, createFirstOwner, findUserByEmail, hasUsers, readPasswordHash, setupIsOver } from './users.js';
export { foldStorageChanges } from './maintenance/fold-storage-changes.js';
export { createVariable, deleteVariable, listVariables, readVariables, updateVariable } from './variables.js';
export { findVersions, listVersions, readChosenVersion, readDefinition, readVersion } from './versions/list.js';
export {
  type NewSecrets,
  type NewVersion,
  saveVersion,
  type SealedSecrets,
  trySavingVersion,
  type WorkflowTool,
} from './versions/save.js';
export { changeWebhookUrl, type WantedWebhook } from './webhooks/urls.js';
export {
  type DeliveryRecord,
  insertDeliveries,
  listDeliveries,
  pruneDeliveries,
  readForReplay,
} from './webhooks/deliveries.js';
export {
  findWebhooks,
  type FoundWebhook,
  openWebhookTest,
  readSavedTrigger,
  type SavedTrigger,
} from './webhooks/webhooks.js';
export { listActivations } from './workflows/activations.js';
export { deleteDraft, readDraft, saveDraft } from './workflows/drafts.js';
export {
  applyWorkflow,
  findWorkflowBySlug,
  type Precondition,
  tryApplyingWorkflow,
  type WantedWorkflow,
} from './workflows/apply.js';
export {
  createWorkflow,
  deleteWorkflow,
  listWorkflows,
  readToDuplicate,
  readWorkflow,
  tryCreatingWorkflow,
  updateWorkflow,
  type WorkflowRecord,
} from './workflows/workflows.js';
export { type ActiveTool, listActiveTools, MAX_WORKFLOW_TOOLS } from './workflows/tools.js';
export { findWorkspaceOfWorkflow, type Place } from './workflows/lock.js';
export {
  createWorkspace,
  deleteWorkspace,
  listRoles,
  listWorkspaces,
  readStorage,
  readWorkspace,
  readWorkspaceUsage,
  updateWorkspace,
} from './workspaces/workspaces.js';
export {
  deleteRestOfWorkspaces,
  deleteRunsOfDeletedWorkspaces,
  findRunsOfDeletedWorkspaces,
} from './workspaces/delete-data.js';
export {
  findMissingSessionLimits,
  reportMissingSessionLimits,
  SESSION_LIMITS,
  SILENT_AFTER_MS,
  withoutSessionLimits,
} from './session-limits.js';
export { reportFaultyServer } from './server-version.js';
export { readFlushedPosition, readReplayedPosition, type WalPosition } from './replica.js';
export { probeWrites } from './write-probe.js';
export { type LostWorker, type RecoveredRuns, recoverRuns } from './executions/recover.js';
export {
  type CountedErrorStart,
  delayErrorStarts,
  type DueErrorStart,
  type ErrorStartResult,
  findDueErrorStarts,
  startErrorWorkflows,
} from './executions/error-starts.js';
export {
  addCallbackLanes,
  findWorkspaceToStart,
  listCallbacks,
  readCallbackSecrets,
  replayCallback,
  rotateCallbackSecret,
} from './events/callbacks.js';
