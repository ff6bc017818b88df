import type { NamedRoute } from './openapi/document.js';
import { listInstanceAuditLog } from './routes/admin.js';
import { getWorkspaceLimits, updateWorkspaceLimits } from './routes/admin.js';
import { getInstanceSettings, updateInstanceSettings } from './routes/admin.js';
import { getStoredBytes } from './routes/admin.js';
import { getAiUsage } from './routes/ai.js';
import { createApiKey } from './routes/api-keys.js';
import { listApiKeys } from './routes/api-keys.js';
import { revokeApiKey } from './routes/api-keys.js';
import { rotateApiKey } from './routes/api-keys.js';
import { listApprovals } from './routes/approvals.js';
import { listHumanTasks } from './routes/approvals.js';
import { submitApproval } from './routes/approvals.js';
import { acceptInvite } from './routes/auth/accept-invite.js';
import { login } from './routes/auth/sign-in.js';
import { logout } from './routes/auth/sign-in.js';
import { getCurrentUser } from './routes/auth/sign-in.js';
import { listAuditLog } from './routes/audit-log.js';
import { changePassword } from './routes/auth/sign-in.js';
import { endSession, listSessions } from './routes/auth/sessions.js';
import { getSetup, setup } from './routes/auth/setup.js';
import { createCredential } from './routes/credentials.js';
import { deleteCredential } from './routes/credentials.js';
import { listCredentials } from './routes/credentials.js';
import { getCredential } from './routes/credentials.js';
import { updateCredential } from './routes/credentials.js';
import { abortBulkAction, createBulkAction } from './routes/executions/bulk-actions.js';
import { getBulkAction, listBulkActions } from './routes/executions/bulk-actions.js';
import { getFailureGroup, listFailureGroups } from './routes/executions/failure-groups.js';
import { updateFailureGroup } from './routes/executions/failure-groups.js';
import { createEventEndpoint, deleteEventEndpoint, updateEventEndpoint } from './routes/event-endpoints.js';
import { getEventEndpoint, listEventEndpoints } from './routes/event-endpoints.js';
import { listCallbackSecrets, rotateCallbackSecret } from './routes/event-endpoints.js';
import { listEventSecrets, rotateEventSecret } from './routes/event-endpoints.js';
import { listEventDeliveries, replayEventDelivery } from './routes/event-endpoints.js';
import { replayEvents, sendTestEvent } from './routes/event-endpoints.js';
import { sendEvent } from './routes/events.js';
import { listCallbacks, replayCallback } from './routes/executions/callbacks.js';
import { completeHumanTask } from './routes/executions/complete.js';
import { deleteExecution, redactExecution } from './routes/executions/erase.js';
import { followExecution } from './routes/executions/events.js';
import { executeWorkflow } from './routes/executions/execute.js';
import { executeWorkflowBatch } from './routes/executions/execute-batch.js';
import { pauseExecution, resumeExecution } from './routes/executions/pause.js';
import { exportExecutions } from './routes/executions/export.js';
import { listExecutions } from './routes/executions/list.js';
import { getExecution } from './routes/executions/read.js';
import { listIterations } from './routes/executions/details.js';
import { getExecutionResult } from './routes/executions/details.js';
import { getNodeDebug } from './routes/executions/details.js';
import { getNodeOutput } from './routes/executions/details.js';
import { rerunExecution } from './routes/executions/rerun.js';
import { stopExecution } from './routes/executions/stop.js';
import { stopExecutions } from './routes/executions/stop.js';
import { updateExecution } from './routes/executions/update.js';
import { createFolder } from './routes/folders.js';
import { deleteFolder } from './routes/folders.js';
import { listFolders } from './routes/folders.js';
import { updateFolder } from './routes/folders.js';
import { getLiveness, getReadiness } from './routes/health.js';
import { getMetrics } from './routes/health.js';
import { createInvite } from './routes/invites.js';
import { deleteInvite } from './routes/invites.js';
import { listInvites } from './routes/invites.js';
import { getMe } from './routes/me.js';
import { addMember } from './routes/members.js';
import { leaveWorkspace } from './routes/members.js';
import { listMembers } from './routes/members.js';
import { removeMember } from './routes/members.js';
import { updateMember } from './routes/members.js';
import { getFleet } from './routes/monitoring.js';
import { getRunStats } from './routes/monitoring.js';
import { listSlowWorkflows } from './routes/monitoring.js';
import { listNodeTypes } from './routes/node-types.js';
import { createVariable } from './routes/variables.js';
import { deleteVariable } from './routes/variables.js';
import { listVariables } from './routes/variables.js';
import { updateVariable } from './routes/variables.js';
import { deleteDraft, getDraft, saveDraft } from './routes/drafts.js';
import { listVersions } from './routes/versions.js';
import { getVersion } from './routes/versions.js';
import { saveVersion } from './routes/versions.js';
import { listSchedules, listScheduleTimes } from './routes/schedules.js';
import { pauseSchedule, resumeSchedule } from './routes/schedules.js';
import { changeWebhookUrl } from './routes/webhooks/urls.js';
import { listDeliveries } from './routes/webhooks/deliveries.js';
import { openWebhookTest } from './routes/webhooks/urls.js';
import { replayDelivery } from './routes/webhooks/deliveries.js';
import { applyWorkflow } from './routes/workflows/apply.js';
import { createWorkflow } from './routes/workflows/workflows.js';
import { deleteWorkflow } from './routes/workflows/workflows.js';
import { duplicateWorkflow } from './routes/workflows/duplicate.js';
import { importN8nWorkflow } from './routes/workflows/import-n8n.js';
import { listActivations } from './routes/workflows/list-activations.js';
import { listWorkflowExecutions } from './routes/workflows/list-executions.js';
import { listWorkflows } from './routes/workflows/workflows.js';
import { getWorkflow } from './routes/workflows/workflows.js';
import { updateWorkflow } from './routes/workflows/workflows.js';
import { createWorkspace } from './routes/workspaces.js';
import { deleteWorkspace } from './routes/workspaces.js';
import { listWorkspaces } from './routes/workspaces.js';
import { getWorkspace } from './routes/workspaces.js';
import { updateWorkspace } from './routes/workspaces.js';
import { getWorkspaceUsage } from './routes/workspaces.js';
import type { Services } from './services.js';

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
