export {
  type Actor,
  type LinkHolder,
  type Origin,
  needsPermission,
  requirePermission,
  requireWorkflow,
} from './access.ts';
export { activateAccount, deactivateAccount, disconnectAccount, listAccounts } from './accounts.ts';
export {
  isAdministrator,
  readInstanceSettings,
  readLimits,
  readSettingsAs,
  readUsage,
  writeLimits,
  writeSettings,
} from './admin.ts';
export {
  createApiKey,
  type CreatedApiKeyEntry,
  findApiKeys,
  findUnseenWorkflows,
  listApiKeys,
  type NewApiKey,
  readApiKey,
  readOwnApiKey,
  revokeApiKey,
  rotateApiKey,
  type SuccessorKey,
  touchApiKeys,
  type ValidApiKey,
} from './api-keys.ts';
export {
  isFreshSignOn,
  readSealedIdToken,
  type SignedOnPerson,
  signOn,
  type SignOnIdentity,
  type SignOnPolicy,
} from './identities.ts';
export {
  createPasswordReset,
  createPasswordResetByOperator,
  type CreatedPasswordReset,
  readPasswordReset,
  redeemPasswordReset,
} from './password-resets.ts';
export { listChanges, listInstanceChanges } from './audit/list.ts';
export { recordChange, recordExecutionChange, recordStart } from './audit/record.ts';
export {
  abortBulkAction,
  createBulkAction,
  findBulkRuns,
  listBulkActions,
  pruneBulkActions,
  readBulkAction,
} from './bulk-actions/bulk-actions.ts';
export type { BulkOutcome, DueBulkAction } from './bulk-actions/act-on-runs.ts';
export type { RerunChecks } from './bulk-actions/rerun-runs.ts';
export { failUnsettledRun, findDueBulkActions, findUnsettledRuns, performBatch } from './bulk-actions/perform.ts';
export { createDatabase, type Database, type DatabaseOptions, readPoolUse } from './client.ts';
/** SQL with parameters, for tools that measure. Product code uses the stores of this package. */
export { Prisma } from './client.ts';
export { claimLimited, type LimitedClaim } from './concurrency/claim-limited.ts';
export { countHeldBack, countHeldRuns } from './concurrency/count-slots.ts';
export { type Subject } from './concurrency/demand.ts';
export { type Busy, findKeysToRelease, type KeyedStart, NO_KEY, releaseKeys, type RunKey } from './concurrency/keys.ts';
export { findWorkspacesHeldBack, releaseHeldBack, releaseHeldBackOf } from './concurrency/release.ts';
export {
  type ConnectorName,
  createConnector,
  createConnectorStore,
  deleteConnector,
  findConnectorId,
  findPlace,
  listConnectorOperations,
  listConnectors,
  type NewConnector,
  readConnectorHead,
  readConnectorOperation,
  type StoredConnector,
} from './connectors.ts';
export {
  countCredentialsByKey,
  type CredentialUser,
  readSealedCredential,
  readUsableCredentials,
  type SealedCredential,
  type UsableCredential,
} from './credentials/sealed-credentials.ts';
export {
  changeConnection,
  type ConnectableCredential,
  findConnectable,
  listCredentialUses,
  PROVIDER_LIMIT_MS,
  readConnection,
  storeConnection,
  touchConnection,
} from './credentials/connections.ts';
export {
  readCredentialToTry,
  recordTrial,
  storeCredentialTest,
  type TriedCredential,
} from './credentials/tried-credentials.ts';
export {
  createCredential,
  deleteCredential,
  listCredentials,
  readCredential,
  readSecretToChange,
  updateCredential,
} from './credentials/credentials.ts';
export { readDatabaseTime } from './database-time.ts';
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
} from './events/deliver.ts';
export {
  addTestEvent,
  listEventDeliveries,
  replayEventDeliveries,
  replayEventDelivery,
  webhookIdOf,
} from './events/deliveries.ts';
export {
  createEventEndpoint,
  deleteEventEndpoint,
  listEventEndpoints,
  readEventEndpoint,
  readEventSecrets,
  rotateEventSecret,
  updateEventEndpoint,
} from './events/endpoints.ts';
export { acceptEvents, type EventVerdict, type NewEvent, pruneEvents } from './events-in/accept-events.ts';
export { endNewWaits, type EndedByEvents, endWaitsForEvents, type RunsOfEvents } from './events-in/end-waits.ts';
export { findUncheckedWaits, findUnmatchedEvents } from './events-in/find-work.ts';
export {
  delayEvents,
  type EventDelay,
  type EventTrigger,
  findEventTriggers,
  markMatched,
  type StartingEvent,
} from './events-in/start-runs.ts';
export { NO_DEADLINE_AT } from './executions/run-status.ts';
export { updateExecution } from './executions/update.ts';
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
} from './locks/run-locks.ts';
export { type ChildAttempt, type ChildOutcome, type ChildRequest, startChild } from './executions/start/start-child.ts';
export { chooseVersion } from './executions/start/admission.ts';
export { createRunStarts, type Gather, startRuns } from './executions/start/start-runs.ts';
export { pruneDebounces } from './executions/start/debounce.ts';
export { findEarlierStart, pruneIdempotencyKeys } from './executions/start/start-once.ts';
export { type AddWorkflowKey, type StartLimits } from './executions/start/settle-starts.ts';
export {
  type Accepted,
  type ChosenVersion,
  type IdempotencyKey,
  type InvalidInput,
  type OtherBody,
  type RateLimited,
  type RunCount,
  SENDER_KEYS,
  type StartOutcome,
  type StartRefusal,
  type StartRequest,
} from './executions/start/start-request.ts';
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
} from './checkpoints/checkpoint.ts';
export { writeCheckpoints } from './checkpoints/write-checkpoints.ts';
export { isSearch } from './search/match.ts';
export type { ExecutionOrder, RunPosition } from './executions/read/filter.ts';
export { exportExecutionIds, type ExportRequest } from './executions/read/export.ts';
export { readRunHistogram } from './executions/read/histogram.ts';
export { type ExecutionIdPage, listExecutionIds, type ListExecutionsRequest } from './executions/read/list.ts';
export {
  type Claim,
  claimExecutions,
  type ClaimedExecution,
  type ClaimRequest,
  readUnclaimed,
} from './executions/claim/claim.ts';
export {
  type AnswerOutcome,
  type AnswerRequest,
  answerWait,
  confirmAnswer,
  type WaitEnd,
} from './executions/waits/decide.ts';
export {
  endDueWaits,
  type EndedWait,
  type EndedWaits,
  endWaitsOfParents,
  type WaitPlace,
} from './executions/waits/end-waits.ts';
export { deleteExecution, redactExecution } from './executions/end/erase.ts';
export { failBlockedRun, failUnqueuedExecutions } from './executions/end/fail-runs.ts';
export { listApprovals, listHumanTasks } from './executions/waits/list-waits.ts';
export { loadIterations, loadNodeRuns, loadOpenNodeRuns, type StoredNodeRun } from './executions/read/load-records.ts';
export { pauseExecution, type ResumedRuns, resumeExecution } from './executions/pause.ts';
export {
  readForRerun,
  readNodesWithFailedIterations,
  readVersionWithData,
  readWays,
  type RerunOrigin,
  type RerunRefusal,
  type StoredWay,
} from './executions/start/read-for-rerun.ts';
export { type LinkedWait, readLinkedWait } from './executions/waits/read-linked-wait.ts';
export { computeRunDigest } from './checkpoints/fence.ts';
export {
  readExecutions,
  readLargeValues,
  type ExecutionRecord,
  type ReadExecutionRequest,
} from './executions/read/read.ts';
export {
  type ExecutionResult,
  type ExecutionState,
  type FollowedState,
  readResults,
  type ReadStateRequest,
  readStates,
  readVisibleStates,
  type VisibleState,
} from './executions/read/read-states.ts';
export { listIterations } from './executions/read/list-iterations.ts';
export {
  type NodeExtent,
  type NodeOutputRecord,
  readNodeDebug,
  readNodeExtent,
  readNodeOutput,
} from './executions/read/read-output.ts';
export {
  dispatchAgain,
  type DispatchedExecution,
  findHoldingWorkers,
  findUnclaimed,
  timeOutRuns,
  type UnclaimedExecution,
  wakeDueRuns,
} from './executions/claim/reconcile.ts';
export { releaseExecutions, type ReleasedExecution } from './executions/claim/release.ts';
export { indexExecutions } from './search/index-executions.ts';
export { listFailureGroups, readFailureGroup, updateFailureGroup } from './failure-groups/failure-groups.ts';
export { respondToCaller, type ResponseToCaller, type ResponseVerdict } from './executions/end/respond.ts';
export { stopOrphans } from './executions/end/stop-orphans.ts';
export { type OnStopped, stopExecution } from './executions/end/stop.ts';
export { stopDescendants, type StopDescendantsOptions } from './executions/end/stop-descendants.ts';
export { stopExecutions } from './executions/end/stop-many.ts';
export { createFolder, deleteFolder, listFolders, updateFolder } from './folders.ts';
export {
  finishRequest,
  pruneRequests,
  releaseRequest,
  type Reservation,
  reserveRequest,
} from './idempotency/requests.ts';
export { type InsightsPeriod, readInsights } from './insights/read-insights.ts';
export { pruneRunDays } from './insights/run-days.ts';
export {
  acceptInvite,
  acceptInviteAsNewPerson,
  createInvite,
  deleteInvite,
  type JoinedWorkspace,
  listInvites,
  type NewPerson,
  readInvite,
} from './invites.ts';
export {
  deleteAgentMemory,
  type ExchangeWriter,
  listAgentMemories,
  type MemoryAddress,
  type MemoryExchange,
  pruneAgentMemories,
  readAgentMemory,
  readAgentMemoryAs,
  writeAgentMemory,
} from './agent-memories.ts';
export { addMember, leaveWorkspace, listMembers, removeMember, updateMember } from './members.ts';
export {
  deleteModelCall,
  insertModelCall,
  type ModelCallAdmission,
  newModelCallId,
  pruneModelCalls,
  pruneModelMonths,
  readModelMonth,
  settleModelCall,
  sumModelCalls,
} from './model-calls.ts';
export { readModelPrices, writeModelPrices } from './model-prices.ts';
export * from './migrations/index.ts';
export { countUnfinished, readOldestWaitingSeconds, readRunStats, type StatsPeriod } from './monitoring/run-stats.ts';
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
} from './maintenance/find-runs.ts';
export {
  type DetachedPosition,
  type DetachedRow,
  type DetachedTable,
  findWorkspaces,
  FIRST_DETACHED,
  readDetachedRows,
  sumDetachedRuns,
} from './maintenance/detached-runs.ts';
export {
  abandonFile,
  type ArchivedFile,
  type AbandonedFile,
  beginFile,
  deleteFileParts,
  discardFile,
  expireFiles,
  type FileSpace,
  findAbandonedFiles,
  postponeFile,
  findFile,
  findFileOfRun,
  findLinkedFile,
  findFilesOfRun,
  findRunsWithFiles,
  findSameContents,
  findSameFile,
  findVisibleFile,
  finishFile,
  type FinishedFile,
  forgetFile,
  keepFiles,
  type KeptFile,
  linkFile,
  nameFiles,
  type NewFile,
  readFilePart,
  renewFile,
  writeFilePart,
} from './files.ts';
export { refreshStatistics } from './maintenance/refresh-statistics.ts';
export {
  createRunPartitions,
  deleteLeftoversOfRunPartition,
  detachExpiredRunPartition,
  DROP_LIMIT_MS,
  dropDetachedRunPartition,
  findDetachedRunPartitions,
  partitionSpanDays,
} from './maintenance/run-partitions.ts';
export { readWorkflowActivity } from './monitoring/workflow-activity.ts';
export { readWorkflowTimes } from './monitoring/workflow-times.ts';
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
} from './operations.ts';
export {
  findDeletedOutputs,
  findLargeOutputs,
  forgetDeletedOutputs,
  keepLargeOutput,
  type LargeOutput,
} from './outputs.ts';
export { pruneData, pruneRuns } from './retention.ts';
export {
  type DueSchedule,
  findDueSchedules,
  findNextCheck,
  type FireRefusal,
  holdSchedules,
  type MoveOutcome,
  moveSchedules,
  type ScheduleHold,
  type ScheduleMove,
} from './schedules/move.ts';
export { listSchedules, pauseSchedule, resumeSchedule } from './schedules/schedules.ts';
export { type FirstDue, type ScheduleRule } from './schedules/sync.ts';
export { listSealed, type Resealing, resealSecrets, type SealedRow, type SecretHolder } from './secrets.ts';
export {
  addPasskey,
  confirmAuthenticator,
  findPasskey,
  hasSecondFactor,
  type KeptPasskey,
  listPasskeyIds,
  type NewPasskey,
  readAuthenticator,
  readSecondFactors,
  removeAuthenticator,
  removeLostFactors,
  removePasskey,
  replaceRecoveryCodes,
  startAuthenticator,
  useAuthenticatorStep,
  usePasskey,
  useRecoveryCode,
} from './second-factors.ts';
export {
  confirmSession,
  createSession,
  deleteOtherSessions,
  deleteOwnSession,
  deleteSession,
  findSessions,
  isConfirmedSession,
  listSessions,
  type NewSession,
  type SecondFactorRule,
  type SessionLimits,
  touchSessions,
  type ValidSession,
} from './sessions.ts';
export {
  classifyStoreError,
  isStatementCancelled,
  isStoreError,
  isRowError,
  isStoreUnavailable,
  isTooSlow,
  StoreError,
  type StoreErrorKind,
} from './store-errors.ts';
export {
  changePassword,
  createFirstOwner,
  findActiveUser,
  findUserByEmail,
  hasUsers,
  readPasswordHash,
  setupIsOver,
} from './users.ts';
export { foldStorageChanges } from './maintenance/fold-storage-changes.ts';
export {
  createVariable,
  deleteVariable,
  listVariables,
  listVariableUses,
  readVariables,
  updateVariable,
} from './variables.ts';
export { findVersions, listVersions, readChosenVersion, readDefinition, readVersion } from './versions/list.ts';
export {
  type NewSecrets,
  type NewVersion,
  saveVersion,
  type SealedSecrets,
  trySavingVersion,
  type WorkflowTool,
} from './versions/save.ts';
export { changeWebhookUrl, type WantedWebhook } from './webhooks/urls.ts';
export {
  type DeliveryRecord,
  insertDeliveries,
  listDeliveries,
  pruneDeliveries,
  readForReplay,
} from './webhooks/deliveries.ts';
export {
  findWebhooks,
  type FoundWebhook,
  openWebhookTest,
  readSavedTrigger,
  readTriggerType,
  type SavedTrigger,
} from './webhooks/webhooks.ts';
export { listActivations } from './workflows/activations.ts';
export { deleteDraft, readDraft, saveDraft } from './workflows/drafts.ts';
export { deleteImportReport, readImportReport } from './workflows/import-reports.ts';
export {
  applyWorkflow,
  findWorkflowsBySlug,
  type Precondition,
  tryApplyingWorkflow,
  type WantedWorkflow,
} from './workflows/apply.ts';
export {
  createWorkflow,
  deleteWorkflow,
  listWorkflows,
  readToDuplicate,
  readWorkflow,
  tryCreatingWorkflow,
  updateWorkflow,
  type WorkflowRecord,
} from './workflows/workflows.ts';
export { type ActiveTool, listActiveTools, MAX_WORKFLOW_TOOLS } from './workflows/tools.ts';
export { findWorkspaceOfWorkflow, type Place } from './workflows/lock.ts';
export {
  createWorkspace,
  deleteWorkspace,
  listRoles,
  listWorkspaces,
  readStorage,
  readWorkspace,
  readWorkspaceUsage,
  updateWorkspace,
} from './workspaces/workspaces.ts';
export {
  deleteRestOfWorkspaces,
  deleteRunsOfDeletedWorkspaces,
  findRunsOfDeletedWorkspaces,
} from './workspaces/delete-data.ts';
export {
  findMissingSessionLimits,
  reportMissingSessionLimits,
  SESSION_LIMITS,
  SILENT_AFTER_MS,
  withoutSessionLimits,
} from './session-limits.ts';
export { reportFaultyServer } from './server-version.ts';
export { readFlushedPosition, readReplayedPosition, type WalPosition } from './replica.ts';
export { probeWrites } from './write-probe.ts';
export { type LostWorker, type RecoveredRuns, recoverRuns } from './executions/claim/recover.ts';
export { type ErrorStartResult, findDueErrorStarts, startErrorWorkflows } from './executions/start/error-starts.ts';
export {
  addCallbackLanes,
  findWorkspaceToStart,
  listCallbacks,
  readCallbackSecrets,
  replayCallback,
  rotateCallbackSecret,
} from './events/callbacks.ts';
