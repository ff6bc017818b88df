export { type Actor, type Origin, requireRole } from './access.js';
export { readLimits, writeLimits } from './admin/limits.js';
export { isAdministrator } from './admin/rules.js';
export { readInstanceSettings, readSettingsAs, writeSettings } from './admin/settings.js';
export { readUsage } from './admin/usage.js';
export { createApiKey, type CreatedApiKeyEntry, findUnseenWorkflows } from './api-keys/create.js';
export { findApiKeys, type ValidApiKey } from './api-keys/find.js';
export { listApiKeys } from './api-keys/list.js';
export { readApiKey } from './api-keys/read.js';
export { readOwnApiKey, rotateApiKey, type SuccessorKey } from './api-keys/rotate.js';
export { revokeApiKey } from './api-keys/revoke.js';
export { touchApiKeys } from './api-keys/touch.js';
export { listChanges, listInstanceChanges } from './audit/list.js';
export { recordChange, recordExecutionChange } from './audit/record.js';
export { recordStart } from './audit/record-start.js';
export { createDatabase, type Database, type DatabaseOptions, readPoolUse } from './client.js';
/** SQL with parameters, for tools that measure. Product code uses the stores of this package. */
export { Prisma } from './client.js';
export { claimLimited, type LimitedClaim } from './concurrency/claim-limited.js';
export { countHeldBack } from './concurrency/count-held-back.js';
export { countHeldRuns } from './concurrency/count-slots.js';
export { type Subject } from './concurrency/demand.js';
export { findWorkspacesHeldBack, releaseHeldBack, releaseHeldBackOf } from './concurrency/release.js';
export { countCredentialsByKey } from './credentials/count-by-key.js';
export { createCredential } from './credentials/create.js';
export { deleteCredential } from './credentials/delete.js';
export { listCredentials } from './credentials/list.js';
export { readCredential } from './credentials/read.js';
export { type CredentialUser, readSealedCredential, type SealedCredential } from './credentials/read-sealed.js';
export { readUsableCredentials, type UsableCredential } from './credentials/read-usable.js';
export { updateCredential } from './credentials/update.js';
export { readDatabaseTime } from './database-time.js';
export { chooseVersion } from './executions/chosen-version.js';
export { acceptChild, answerParents, type ChildRequest, type ChildVerdict } from './executions/accept-child.js';
export { acceptExecutions } from './executions/accept.js';
export {
  acceptOnce,
  type AcceptOnceVerdict,
  type IdempotencyKey,
  pruneIdempotencyKeys,
} from './executions/accept-once.js';
export {
  type Accepted,
  type AcceptedRun,
  type AcceptRefusal,
  type AcceptRequest,
  type AcceptVerdict,
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
export { endDueWaits, type EndedWait, type EndedWaits } from './executions/end-waits.js';
export { deleteExecution, redactExecution } from './executions/erase.js';
export { failBlockedRun } from './executions/fail-blocked.js';
export { failUnqueuedExecutions } from './executions/fail-unqueued.js';
export { listApprovals, listHumanTasks } from './executions/list-waits.js';
export { loadNodeRuns, type StoredNodeRun } from './executions/load-records.js';
export { pauseExecution, resumeExecution } from './executions/pause.js';
export { hasTriggerData, readForRerun, type RerunOrigin } from './executions/read-for-rerun.js';
export { digestOfRun } from './executions/run-digest.js';
export { readExecutions, type ExecutionRecord, type ReadExecutionRequest } from './executions/read.js';
export { type ExecutionResult, readResults } from './executions/read-results.js';
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
export {
  type ExecutionState,
  readStates,
  type ReadStateRequest,
  readVisibleStates,
  type VisibleState,
} from './executions/read-states.js';
export { releaseExecutions, type ReleasedExecution } from './executions/release.js';
export { indexExecutions } from './search/index-executions.js';
export { stopOrphans } from './executions/stop-orphans.js';
export { type OnStopped, stopExecution } from './executions/stop.js';
export { stopDescendants, type StopDescendantsOptions } from './executions/stop-descendants.js';
export { stopExecutions } from './executions/stop-many.js';
export { createFolder } from './folders/create.js';
export { deleteFolder } from './folders/delete.js';
export { listFolders } from './folders/list.js';
export { updateFolder } from './folders/update.js';
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
  type JoinedWorkspace,
  type NewPerson,
  readInvite,
} from './invites/accept.js';
export { createInvite } from './invites/create.js';
export { deleteInvite } from './invites/delete.js';
export { listInvites } from './invites/list.js';
export { addMember } from './members/add.js';
export { listMembers } from './members/list.js';
export { leaveWorkspace, removeMember } from './members/remove.js';
export { updateMember } from './members/update.js';
export * from './migrations/index.js';
export { countUnfinished } from './monitoring/count-unfinished.js';
export { oldestWaitingSeconds } from './monitoring/oldest-waiting.js';
export {
  findDueRuns,
  findExpiredRuns,
  findOverdueRuns,
  findOwnedRuns,
  findParentsOfFinished,
  findRunsOfWorkers,
  findUnindexedRuns,
  type FoundRun,
  type OwnedRun,
  type RetentionKind,
  type RowPage,
} from './maintenance/find-runs.js';
export { refreshStatistics } from './maintenance/refresh-statistics.js';
export { readRunStats, type StatsPeriod } from './monitoring/run-stats.js';
export { readWorkflowTimes } from './monitoring/workflow-times.js';
export { countRunsByWorker } from './operations/count-by-worker.js';
export { describeRuns, type RunSummary } from './operations/describe-runs.js';
export { type OperatorFilter } from './operations/filter.js';
export { findHeldRuns, findUnclaimedRuns } from './operations/find-lost.js';
export { findUnfinished } from './operations/find-unfinished.js';
export { type Operation, recordOperation } from './operations/record-operation.js';
export { requeueHeldRuns } from './operations/requeue-held.js';
export { stopRuns } from './operations/stop-runs.js';
export { findDeletedOutputs, forgetDeletedOutputs } from './outputs/deleted.js';
export { findLargeOutputs } from './outputs/find.js';
export { keepLargeOutput, type LargeOutput } from './outputs/keep.js';
export { pruneData } from './retention/prune-data.js';
export { pruneRuns } from './retention/prune-runs.js';
export { type DueSchedule, findDueSchedules, findNextLook } from './schedules/find-due.js';
export { type FireRefusal, moveSchedules, type MoveVerdict, type ScheduleMove } from './schedules/move.js';
export { holdSchedules, type ScheduleHold } from './schedules/hold.js';
export { listSchedules } from './schedules/list.js';
export { pauseSchedule, resumeSchedule } from './schedules/pause.js';
export { type FirstDue, type ScheduleRule } from './schedules/sync.js';
export { listSealed, type SealedRow, type SecretHolder } from './secrets/list-sealed.js';
export { type Resealing, resealSecrets } from './secrets/reseal.js';
export { createSession } from './sessions/create.js';
export { deleteOwnSession, deleteSession } from './sessions/delete.js';
export { findSessions, type ValidSession } from './sessions/find.js';
export { listSessions } from './sessions/list.js';
export { touchSessions } from './sessions/touch.js';
export {
  classifyStoreError,
  isStoreError,
  isRowError,
  isStoreUnavailable,
  StoreError,
  type StoreErrorKind,
} from './store-errors.js';
export { changePassword } from './users/change-password.js';
export { createFirstOwner, hasUsers, setupIsOver } from './users/create-first-owner.js';
export { findUserByEmail, readPasswordHash } from './users/find-by-email.js';
export { foldStorageChanges } from './storage/fold.js';
export { createVariable } from './variables/create.js';
export { deleteVariable } from './variables/delete.js';
export { listVariables } from './variables/list.js';
export { readVariables } from './variables/read.js';
export { updateVariable } from './variables/update.js';
export { findVersions, listVersions, readDefinition, readVersion } from './versions/list.js';
export { type NewVersion } from './versions/insert.js';
export { readSealedSecrets, type SealedSecrets } from './versions/sealed-secrets.js';
export { saveVersion, trySavingVersion } from './versions/save.js';
export { type WantedWebhook } from './webhooks/assign-urls.js';
export { changeWebhookUrl } from './webhooks/change-url.js';
export { type DeliveryRecord, insertDeliveries, listDeliveries, pruneDeliveries } from './webhooks/deliveries.js';
export { findWebhooks, type FoundWebhook } from './webhooks/find.js';
export { openWebhookTest } from './webhooks/open-test.js';
export { readForReplay } from './webhooks/read-for-replay.js';
export { readSavedTrigger, type SavedTrigger } from './webhooks/read-trigger.js';
export { listActivations } from './workflows/activations.js';
export { createWorkflow, tryCreatingWorkflow } from './workflows/create.js';
export { deleteWorkflow } from './workflows/delete.js';
export { listWorkflows } from './workflows/list.js';
export { readToDuplicate } from './workflows/read-to-duplicate.js';
export { readWorkflow, type WorkflowRecord } from './workflows/read.js';
export { updateWorkflow } from './workflows/update.js';
export { findWorkspaceOfWorkflow, type Place } from './workflows/visible.js';
export { createWorkspace } from './workspaces/create.js';
export { deleteWorkspace } from './workspaces/delete.js';
export {
  deleteRestOfWorkspaces,
  deleteRunsOfDeletedWorkspaces,
  findRunsOfDeletedWorkspaces,
} from './workspaces/delete-data.js';
export { listRoles, listWorkspaces } from './workspaces/list.js';
export { readWorkspace } from './workspaces/read.js';
export { renameWorkspace } from './workspaces/update.js';
export { readStorage, readWorkspaceUsage } from './workspaces/usage.js';
export {
  findMissingSessionLimits,
  reportMissingSessionLimits,
  SESSION_LIMITS,
  withoutSessionLimits,
} from './session-limits.js';
export { probeWrites } from './write-probe.js';
export { type LostWorker, type RecoveredRuns, recoverRuns } from './executions/recover.js';
