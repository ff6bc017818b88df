import type { NamedRoute } from './openapi/document.ts';
import { listInstanceAuditLog } from './routes/admin.ts';
import { getWorkspaceLimits, updateWorkspaceLimits } from './routes/admin.ts';
import { getInstanceSettings, updateInstanceSettings } from './routes/admin.ts';
import { getStoredBytes } from './routes/admin.ts';
import { getAiUsage } from './routes/ai.ts';
import { createApiKey } from './routes/api-keys.ts';
import { listApiKeys } from './routes/api-keys.ts';
import { revokeApiKey } from './routes/api-keys.ts';
import { rotateApiKey } from './routes/api-keys.ts';
import { listApprovals } from './routes/approvals.ts';
import { listHumanTasks } from './routes/approvals.ts';
import { submitApproval } from './routes/approvals.ts';
import { acceptInvite } from './routes/auth/accept-invite.ts';
import { login } from './routes/auth/sign-in.ts';
import { logout } from './routes/auth/sign-in.ts';
import { getCurrentUser } from './routes/auth/sign-in.ts';
import { listAuditLog } from './routes/audit-log.ts';
import { changePassword } from './routes/auth/sign-in.ts';
import { endSession, listSessions } from './routes/auth/sessions.ts';
import { getSetup, setup } from './routes/auth/setup.ts';
import { createCredential } from './routes/credentials.ts';
import { deleteCredential } from './routes/credentials.ts';
import { listCredentials } from './routes/credentials.ts';
import { getCredential } from './routes/credentials.ts';
import { updateCredential } from './routes/credentials.ts';
import { abortBulkAction, createBulkAction } from './routes/executions/bulk-actions.ts';
import { getBulkAction, listBulkActions } from './routes/executions/bulk-actions.ts';
import { getFailureGroup, listFailureGroups } from './routes/executions/failure-groups.ts';
import { updateFailureGroup } from './routes/executions/failure-groups.ts';
import { createEventEndpoint, deleteEventEndpoint, updateEventEndpoint } from './routes/event-endpoints.ts';
import { getEventEndpoint, listEventEndpoints } from './routes/event-endpoints.ts';
import { listCallbackSecrets, rotateCallbackSecret } from './routes/event-endpoints.ts';
import { listEventSecrets, rotateEventSecret } from './routes/event-endpoints.ts';
import { listEventDeliveries, replayEventDelivery } from './routes/event-endpoints.ts';
import { replayEvents, sendTestEvent } from './routes/event-endpoints.ts';
import { sendEvent } from './routes/events.ts';
import { listCallbacks, replayCallback } from './routes/executions/callbacks.ts';
import { completeHumanTask } from './routes/executions/complete.ts';
import { deleteExecution, redactExecution } from './routes/executions/erase.ts';
import { followExecution } from './routes/executions/events.ts';
import { executeWorkflow } from './routes/executions/execute.ts';
import { executeWorkflowBatch } from './routes/executions/execute-batch.ts';
import { pauseExecution, resumeExecution } from './routes/executions/pause.ts';
import { exportExecutions } from './routes/executions/export.ts';
import { listExecutions } from './routes/executions/list.ts';
import { getExecution } from './routes/executions/read.ts';
import { listIterations } from './routes/executions/details.ts';
import { getExecutionResult } from './routes/executions/details.ts';
import { getNodeDebug } from './routes/executions/details.ts';
import { getNodeOutput } from './routes/executions/details.ts';
import { rerunExecution } from './routes/executions/rerun.ts';
import { stopExecution } from './routes/executions/stop.ts';
import { stopExecutions } from './routes/executions/stop.ts';
import { updateExecution } from './routes/executions/update.ts';
import { createFolder } from './routes/folders.ts';
import { deleteFolder } from './routes/folders.ts';
import { listFolders } from './routes/folders.ts';
import { updateFolder } from './routes/folders.ts';
import { getLiveness, getReadiness } from './routes/health.ts';
import { getMetrics } from './routes/health.ts';
import { createInvite } from './routes/invites.ts';
import { deleteInvite } from './routes/invites.ts';
import { listInvites } from './routes/invites.ts';
import { getMe } from './routes/me.ts';
import { addMember } from './routes/members.ts';
import { leaveWorkspace } from './routes/members.ts';
import { listMembers } from './routes/members.ts';
import { removeMember } from './routes/members.ts';
import { updateMember } from './routes/members.ts';
import { getFleet } from './routes/monitoring.ts';
import { getRunStats } from './routes/monitoring.ts';
import { listSlowWorkflows } from './routes/monitoring.ts';
import { listNodeTypes } from './routes/node-types.ts';
import { createVariable } from './routes/variables.ts';
import { deleteVariable } from './routes/variables.ts';
import { listVariables } from './routes/variables.ts';
import { updateVariable } from './routes/variables.ts';
import { deleteDraft, getDraft, saveDraft } from './routes/drafts.ts';
import { listVersions } from './routes/versions.ts';
import { getVersion } from './routes/versions.ts';
import { saveVersion } from './routes/versions.ts';
import { listSchedules, listScheduleTimes } from './routes/schedules.ts';
import { pauseSchedule, resumeSchedule } from './routes/schedules.ts';
import { changeWebhookUrl } from './routes/webhooks/urls.ts';
import { listDeliveries } from './routes/webhooks/deliveries.ts';
import { openWebhookTest } from './routes/webhooks/urls.ts';
import { replayDelivery } from './routes/webhooks/deliveries.ts';
import { applyWorkflow } from './routes/workflows/apply.ts';
import { createWorkflow } from './routes/workflows/workflows.ts';
import { deleteWorkflow } from './routes/workflows/workflows.ts';
import { duplicateWorkflow } from './routes/workflows/duplicate.ts';
import { importN8nWorkflow } from './routes/workflows/import-n8n.ts';
import { listActivations } from './routes/workflows/list-activations.ts';
import { listWorkflowExecutions } from './routes/workflows/list-executions.ts';
import { listWorkflows } from './routes/workflows/workflows.ts';
import { getWorkflow } from './routes/workflows/workflows.ts';
import { updateWorkflow } from './routes/workflows/workflows.ts';
import { createWorkspace } from './routes/workspaces.ts';
import { deleteWorkspace } from './routes/workspaces.ts';
import { listWorkspaces } from './routes/workspaces.ts';
import { getWorkspace } from './routes/workspaces.ts';
import { updateWorkspace } from './routes/workspaces.ts';
import { getWorkspaceUsage } from './routes/workspaces.ts';
import type { Services } from './services.ts';

/**
 * Every operation of the API by its name, which generated clients call it by, in the order in which paths are matched.
 */
export function listRoutes(services: Services): NamedRoute[] {
  const operations = {
    // Asked for most: paths are tried one after another. `export` and `stop` would be taken for ids.
    executeWorkflow,
    executeWorkflowBatch,
    exportExecutions,
    stopExecutions,
    createBulkAction,
    listBulkActions,
    getBulkAction,
    abortBulkAction,
    listFailureGroups,
    getFailureGroup,
    updateFailureGroup,
    sendEvent,
    getExecution,
    updateExecution,
    listCallbacks,
    replayCallback,
    followExecution,

    getLiveness,
    getReadiness,
    getMetrics,

    getSetup,
    setup,
    login,
    logout,
    getCurrentUser,
    changePassword,
    listSessions,
    endSession,
    acceptInvite,

    getMe,
    createApiKey,
    listApiKeys,
    revokeApiKey,
    rotateApiKey,

    listWorkspaces,
    createWorkspace,
    getWorkspace,
    updateWorkspace,
    deleteWorkspace,
    getWorkspaceUsage,
    listCallbackSecrets,
    rotateCallbackSecret,

    listMembers,
    addMember,
    updateMember,
    removeMember,
    leaveWorkspace,
    createInvite,
    listInvites,
    deleteInvite,

    listWorkflows,
    createWorkflow,
    applyWorkflow,
    getWorkflow,
    updateWorkflow,
    deleteWorkflow,
    duplicateWorkflow,
    importN8nWorkflow,
    listActivations,
    listVersions,
    saveVersion,
    getVersion,
    getDraft,
    saveDraft,
    deleteDraft,
    changeWebhookUrl,
    openWebhookTest,
    listDeliveries,
    replayDelivery,
    listSchedules,
    listScheduleTimes,
    pauseSchedule,
    resumeSchedule,
    listNodeTypes,

    listVariables,
    createVariable,
    updateVariable,
    deleteVariable,

    listCredentials,
    createCredential,
    getCredential,
    updateCredential,
    deleteCredential,

    listEventEndpoints,
    createEventEndpoint,
    getEventEndpoint,
    updateEventEndpoint,
    deleteEventEndpoint,
    listEventSecrets,
    rotateEventSecret,
    sendTestEvent,
    listEventDeliveries,
    replayEvents,
    replayEventDelivery,

    listFolders,
    createFolder,
    updateFolder,
    deleteFolder,

    listExecutions,
    listWorkflowExecutions,
    getNodeOutput,
    getNodeDebug,
    getExecutionResult,
    listIterations,
    stopExecution,
    pauseExecution,
    resumeExecution,
    rerunExecution,
    redactExecution,
    deleteExecution,
    completeHumanTask,

    getFleet,
    getRunStats,
    listSlowWorkflows,

    getAiUsage,

    listApprovals,
    listHumanTasks,
    submitApproval,

    listAuditLog,

    listInstanceAuditLog,
    getWorkspaceLimits,
    updateWorkspaceLimits,
    getStoredBytes,
    getInstanceSettings,
    updateInstanceSettings,
  };
  return Object.entries(operations).map(([id, create]) => ({ id, ...create(services) }));
}
